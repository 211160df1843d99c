import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync
} from 'node:fs'
import { figures } from './figures.ts'

/** A week. */
export const KEPT_MINUTES = 7 * 24 * 60
/** The number of the minute, then each figure; all as doubles. */
const RECORD_BYTES = 8 * (1 + figures.length)
export const FILE_BYTES = KEPT_MINUTES * RECORD_BYTES

/** `minute` counts from 1970. */
export type Minute = { minute: number; values: readonly number[] }

/**
 * The figures of the last week. Each minute has its place in the file, and takes the one of the
 * minute a week before, so the file never grows. It is not synced: a crash of the machine may cost
 * some minutes, and a place that makes no sense is left out.
 */
export class FiguresFile {
  readonly #fd: number

  constructor(path: string) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    // Another size is from a program with other figures.
    if (fstatSync(this.#fd).size !== FILE_BYTES) {
      ftruncateSync(this.#fd, 0)
      ftruncateSync(this.#fd, FILE_BYTES)
    }
  }

  write({ minute, values }: Minute): void {
    const record = Float64Array.of(minute, ...values)
    writeSync(this.#fd, new Uint8Array(record.buffer), 0, RECORD_BYTES, placeOf(minute))
  }

  /** Those from `first` to `last`, in order. */
  read(first: number, last: number): Minute[] {
    const bytes = new Uint8Array(FILE_BYTES)
    readSync(this.#fd, bytes, 0, FILE_BYTES, 0)
    const all = new Float64Array(bytes.buffer)
    const found: Minute[] = []
    for (let minute = Math.max(first, last - KEPT_MINUTES + 1); minute <= last; minute++) {
      const at = placeOf(minute) / 8
      if (all[at] !== minute) continue
      found.push({ minute, values: [...all.subarray(at + 1, at + 1 + figures.length)] })
    }
    return found
  }

  close(): void {
    closeSync(this.#fd)
  }
}

const placeOf = (minute: number): number => (minute % KEPT_MINUTES) * RECORD_BYTES
