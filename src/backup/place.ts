import { accessSync, constants, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { freeSpaceNow } from '../lib/free-space.ts'
import { isWithin } from '../lib/path.ts'

/** A backup that cannot be made or used as asked. The message is for the operator. */
export class BackupFault extends Error {}

/** Makes the folder of backups if it is not there. Answers its real path. */
export function preparePlace(
  directory: string,
  occupied: Readonly<Record<string, string>>
): string {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new BackupFault(`${directory} cannot be written (${(error as Error).message})`)
  }
  const place = realpathSync(directory)
  if (!lstatSync(place).isDirectory()) throw new BackupFault(`${directory} is not a directory`)
  for (const [name, path] of Object.entries(occupied)) {
    if (isWithin(place, realpathSync(path))) {
      throw new BackupFault(
        `${directory} is inside of ${name} (${path}): name a place outside, best on another disk`
      )
    }
  }
  return place
}

/** `reserve` stays free for other work. */
export function requireSpace(directory: string, needed: number, reserve: number): void {
  const free = freeSpaceNow(directory)
  if (free >= needed + reserve) return
  const kept = reserve > 0 ? `, and ${megabytes(reserve)} must stay free` : ''
  throw new BackupFault(
    `the backup needs about ${megabytes(needed)} in ${directory}, which has ${megabytes(free)} free${kept}`
  )
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MB`
