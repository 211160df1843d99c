import { type StatsFs, statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

const bytesOf = ({ bavail, bsize }: StatsFs): number => bavail * bsize

/** Bytes that are free on the disk of a path. */
export const freeSpace = async (path: string): Promise<number> => bytesOf(await statfs(path))

/** The same, for threads that may wait. */
export const freeSpaceNow = (path: string): number => bytesOf(statfsSync(path))
