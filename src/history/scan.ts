import type { LineForm } from '../lib/sample-lines.ts'
import { HOUR, unixMs } from '../lib/unix-time.ts'
import type { ScanQuery } from './history.ts'

/** The last sample that was read at one moment. */
export type ScanPlace = { topic: string; id: number }
export type ScanPart = { lines: Uint8Array; rows: number; last: ScanPlace | undefined }

/** The engine's part of a scan. Each call takes a moment and little memory. */
export interface Scanned {
  /** Rows of the window and the bytes of their messages. It stops counting at `limit` + 1 rows. */
  measure(query: ScanQuery, limit: number): Promise<{ rows: number; bytes: number }>
  /** Reads everything in the window. */
  read(query: ScanQuery, form: LineForm): Promise<ScanPart>
  /** For one moment (`from`) with too many samples: reads at most `limit` rows after `after`. */
  readOn(query: ScanQuery, form: LineForm, after: ScanPlace, limit: number): Promise<ScanPart>
}

/** Bounds of one part, so that it needs little memory and other calls wait only a moment. */
export const SCAN_ROWS = 10_000
export const SCAN_BYTES = 4 * 1024 * 1024
/** Smaller, because the rows of one moment are sorted again for each part. */
const ROWS_PER_MOMENT_PART = 2000

/**
 * All samples of a query in ascending order, as lines. Samples are stored by topic, so they are
 * read in windows of time. A window grows or shrinks until it holds about as many samples as
 * wanted. Nothing stays open between two parts. A sample that arrives meanwhile is read if it is
 * later in time.
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
  let after: ScanPlace | undefined = { topic: '', id: 0 }
  while (after) {
    const { lines, last }: ScanPart = await source.readOn(query, form, after, ROWS_PER_MOMENT_PART)
    if (last) yield bufferOf(lines)
    after = last
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
