import { createHash } from 'node:crypto'

/** Names the state of a description. The types depend on these two parts only. */
export function fingerprint(description: string): string {
  const { paths, components } = JSON.parse(description)
  return createHash('sha256').update(JSON.stringify({ paths, components })).digest('hex')
}

/** The fingerprint in the first lines of generated types. */
export const fingerprintIn = (types: string): string | undefined =>
  /^ \* Fingerprint: ([0-9a-f]{64})$/m.exec(types)?.[1]
