import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SamplePlace } from '../history/history.ts'
import { replaceFile } from '../lib/sync-path.ts'

/** How far history was moved, and to which target. */
export type Checkpoint = {
  target: string
  /** The greatest sample id at that time. When it has changed, there is more to move. */
  lastId: number
  /** Months that are completely moved. */
  months: string[]
  /** The current month, and the place of the next sample to move. */
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

/** When it returns, the whole file is on disk. A crash never leaves half a file. */
export function writeCheckpoint(dataDir: string, checkpoint: Checkpoint): void {
  replaceFile(fileIn(dataDir), JSON.stringify(checkpoint))
}
