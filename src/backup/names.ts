import { readdir } from 'node:fs/promises'
import { type UnixMs, unixMs } from '../lib/unix-time.ts'

/** A complete backup is a folder with its time in UTC as its name, such as `2026-11-17T170301Z`. */
const NAME = /^(\d{4}-\d{2}-\d{2}T)(\d{2})(\d{2})(\d{2})Z$/
/** A backup that is not complete yet, or that is being removed. */
const UNFINISHED = /^\.(partial|removing)-\d{4}-\d{2}-\d{2}T\d{6}Z$/

export const isBackupName = (name: string): boolean => NAME.test(name)
export const isUnfinishedName = (name: string): boolean => UNFINISHED.test(name)

export const backupNameAt = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '')}Z`

export const partialName = (name: string): string => `.partial-${name}`
export const removingName = (name: string): string => `.removing-${name}`

/** When the backup with this name was begun. */
export function timeOfName(name: string): UnixMs {
  const [, day = '', hour = '', minute = '', second = ''] = NAME.exec(name) ?? []
  return unixMs(Date.parse(`${day}${hour}:${minute}:${second}Z`))
}

/** The complete backups of a folder, the oldest first; none if there is no such folder. */
export async function listBackups(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return entries
    .filter((entry) => entry.isDirectory() && isBackupName(entry.name))
    .map(({ name }) => name)
    .sort()
}
