import { firstIndex } from '../../lib/first-index.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import { type Columns, indexAt, PlainColumns, type Slice } from './columns.ts'
import type { Stored, StoredTopic } from './stored.ts'

/**
 * Neighbouring samples of a topic. Without `slice` they are read again when they are needed; then
 * `skip` samples at the time `first` belong to pieces before.
 */
type Piece = {
  first: number
  last: number
  before: number
  count: number
  skip: number
  slice?: Slice
}

/** More rows and unpacked blocks of one query are not held in memory. */
const MAX_HELD_ROWS = 500_000
const MAX_UNPACKED_BLOCKS = 256

/** What may be held for all topics of a query. */
export class Held {
  #rows = 0
  readonly #unpacked: Columns[] = []

  /** Whether samples that are in memory can stay there. */
  keeps({ columns }: Slice): boolean {
    if (!(columns instanceof PlainColumns)) return true
    this.#rows += columns.count
    return this.#rows <= MAX_HELD_ROWS
  }

  /** Tells that a column was unpacked. */
  unpacked(columns: Columns): void {
    if (this.#unpacked.at(-1) === columns) return
    this.#unpacked.push(columns)
    if (this.#unpacked.length > MAX_UNPACKED_BLOCKS) this.#unpacked.shift()?.release()
  }
}

/** The samples of one topic in a window: where they are, and how many before each moment. */
export class Series {
  readonly topic: StoredTopic
  readonly count: number
  readonly #stored: Stored
  readonly #held: Held
  readonly #pieces: Piece[] = []

  constructor(stored: Stored, topic: StoredTopic, slices: Iterable<Slice>, held: Held) {
    this.topic = topic
    this.#stored = stored
    this.#held = held
    let before = 0
    /** How many samples so far have the time of the last one. Only rows are read again. */
    let latest = { time: Number.NEGATIVE_INFINITY, count: 0 }
    for (const slice of slices) {
      const { columns, begin, end } = slice
      const isWhole = begin === 0 && end === columns.count
      const [first, last] = isWhole
        ? [columns.first, columns.last]
        : [columns.times()[begin] as number, columns.times()[end - 1] as number]
      const skip = first === latest.time ? latest.count : 0
      const piece = { first, last, before, count: end - begin, skip }
      this.#pieces.push(held.keeps(slice) ? { ...piece, slice } : piece)
      before += end - begin
      if (columns instanceof PlainColumns) {
        const own = end - indexAt(columns, last, begin)
        latest = { time: last, count: own === end - begin ? skip + own : own }
      }
    }
    this.count = before
  }

  /** The number of samples before a moment. */
  countBefore(time: number): number {
    const pieces = this.#pieces
    const at = firstIndex(pieces.length, (i) => (pieces[i] as Piece).last < time)
    const piece = pieces[at]
    if (piece === undefined) return this.count
    if (time <= piece.first) return piece.before
    let count = piece.before
    for (const slice of this.#slicesOf(piece)) count += countIn(slice, time)
    return count
  }

  /** The samples from `from` to `to`. */
  *within(from: number, to: number): Generator<Slice> {
    for (const piece of this.#pieces) {
      if (piece.last < from) continue
      if (piece.first > to) return
      for (const { columns, begin, end } of this.#slicesOf(piece)) {
        const first = Math.max(indexAt(columns, from), begin)
        const stop = Math.min(indexAt(columns, to + 1), end)
        if (first < stop) yield { columns, begin: first, end: stop }
      }
    }
  }

  *#slicesOf({ slice, first, last, skip, count }: Piece): Generator<Slice> {
    if (slice === undefined) {
      const span = this.#stored.within({ from: first as UnixMs, to: last as UnixMs })
      return yield* part(span.samplesOf(this.topic.topic_id), skip, count)
    }
    this.#held.unpacked(slice.columns)
    yield slice
  }
}

/** `count` samples after the first `skip`. */
function* part(slices: Iterable<Slice>, skip: number, count: number): Generator<Slice> {
  for (const { columns, begin, end } of slices) {
    const first = Math.min(begin + skip, end)
    const stop = Math.min(first + count, end)
    skip -= first - begin
    count -= stop - first
    if (first < stop) yield { columns, begin: first, end: stop }
    if (count === 0) return
  }
}

const countIn = ({ columns, begin, end }: Slice, time: number): number =>
  Math.max(Math.min(indexAt(columns, time), end) - begin, 0)
