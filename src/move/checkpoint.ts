import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { SamplePlace } from '../history/history.ts'

/** How far history has been moved, and where to. */
export type Checkpoint = {
  target: string
  /** The greatest sample id then: with another one there is more to move. */
  lastId: number
  /** Months that are there whole. */
  months: string[]
  /** The month under way and what of it is there. */
  month?: string
  next?: SamplePlace
}

const fileIn = (dataDir: string): string => join(dataDir, 'move.json')

export function readCheckpoint(dataDir: string): Checkpoint | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Checkpoint
  } catch {
    return undefined
  }
}

/** On disk when it returns, whole or not at all. */
export function writeCheckpoint(dataDir: string, checkpoint: Checkpoint): void {
  const file = fileIn(dataDir)
  const fd = openSync(`${file}.new`, 'w', 0o600)
  try {
    writeSync(fd, JSON.stringify(checkpoint))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(`${file}.new`, file)
}
