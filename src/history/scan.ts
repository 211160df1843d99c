import type { LineForm } from '../lib/sample-lines.ts'
import { HOUR, unixMs } from '../lib/unix-time.ts'
import type { ScanQuery } from './history.ts'

/** Of samples at one moment: the last one that was read. */
export type Place = { topic: string; id: number }
export type Part = { lines: Uint8Array; rows: number; last: Place | undefined }

/** What an engine does for a scan, each in a moment and with little in memory. */
export interface Scanned {
  /** Rows of the window and the bytes of their messages; counts no further than one above `limit`. */
  measure(query: ScanQuery, limit: number): Promise<{ rows: number; bytes: number }>
  /** Everything in the window. */
  read(query: ScanQuery, form: LineForm): Promise<Part>
  /** For a moment (`from`) with too much at once: what follows `after`, `limit` rows at most. */
  readOn(query: ScanQuery, form: LineForm, after: Place, limit: number): Promise<Part>
}

/** At a time: little enough to hold, and for others to wait for. */
export const SCAN_ROWS = 10_000
export const SCAN_BYTES = 4 * 1024 * 1024
/** Rows of one moment are sorted anew for each part. */
const MOMENT_ROWS = 2000

/**
 * All samples of a query in ascending order, as lines. Samples lie by topic, so they are read in
 * windows of time that are made wider or narrower until each holds about as many as wanted.
 * Between two parts nothing is open; what arrives meanwhile is seen when it lies ahead.
 */
export async function* scanLines(
  source: Scanned,
  query: ScanQuery,
  form: LineForm
): AsyncGenerator<Buffer> {
  let span = HOUR
  let from = query.from
  while (from <= query.to) {
    const to = unixMs(Math.min(from + span, query.to))
    const window = { ...query, from, to }
    const { rows, bytes } = await source.measure(window, SCAN_ROWS)
    if (rows > SCAN_ROWS || bytes > SCAN_BYTES) {
      if (to > from) {
        span = Math.floor((to - from) / 8)
        continue
      }
      yield* scanMoment(source, window, form)
    } else if (rows > 0) {
      yield bufferOf((await source.read(window, form)).lines)
    }
    if (rows * 4 < SCAN_ROWS && bytes * 4 < SCAN_BYTES) span = 2 * span + 1
    from = unixMs(to + 1)
  }
}

async function* scanMoment(
  source: Scanned,
  query: ScanQuery,
  form: LineForm
): AsyncGenerator<Buffer> {
  let after: Place | undefined = { topic: '', id: 0 }
  while (after) {
    const { lines, last }: Part = await source.readOn(query, form, after, MOMENT_ROWS)
    if (last) yield bufferOf(lines)
    after = last
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
