import type { Version } from './types.ts'

const HASH_SHOWN = 10

/** A version is called by its name or its hash. */
export const versionIn = (versions: readonly Version[], called: string): Version | undefined =>
  versions.find(({ hash }) => hash === called) ??
  versions.find(({ name }) => name !== '' && name === called)

/** How a request calls it. */
export const callOf = ({ name, hash }: Version): string => name || hash

export const shortHash = (hash: string): string => hash.slice(0, HASH_SHOWN)

/** How people call it. */
export const titleOf = (versions: readonly Version[], called: string): string => {
  const name = versionIn(versions, called)?.name || called
  return /^[0-9a-f]{64}$/.test(name) ? shortHash(name) : name
}

/** The newest version with a name, if it is newer than this one. `versions` begin with the newest. */
export function newerThan(versions: readonly Version[], called: string): Version | undefined {
  const newest = versions.findIndex(({ name }) => name !== '')
  const now = versions.findIndex(({ hash }) => hash === versionIn(versions, called)?.hash)
  return newest !== -1 && (now === -1 || newest < now) ? versions[newest] : undefined
}
