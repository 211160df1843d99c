import type { Slots } from './slots.ts'
import type { Summary } from './summary.ts'

/**
 * Samples of one topic, sorted by time and then by id. No two have the same time, value and msg.
 * Each column is read when it is asked for.
 */
export interface Columns {
  readonly count: number
  readonly first: number
  readonly last: number
  /** UTF-8 bytes of all messages. */
  readonly textBytes: number
  times(): Float64Array
  /** The first time and the difference, if all differences are the same. */
  regular(): { first: number; step: number } | undefined
  values(): Float64Array
  ids(): Float64Array
  /** Undefined when all messages are empty. */
  texts(): readonly string[] | undefined
  /** Neighbouring samples summed up, in order, all of them or none. */
  summaries(): readonly Summary[]
  /** The same for shorter times, at most so many milliseconds, if it is known. */
  slots(longest: number): Slots | undefined
  /** Forgets what can be read again. Columns that were answered before must not be used after. */
  release(): void
}

/** A sample of a topic: time, value, msg, id. */
export type Point = [time: number, value: number, msg: string, id: number]

/** Samples in memory. `texts` is undefined when all messages are empty. */
export class PlainColumns implements Columns {
  readonly count: number
  readonly #times: Float64Array
  readonly #values: Float64Array
  readonly #ids: Float64Array
  readonly #texts: readonly string[] | undefined

  constructor(
    times: Float64Array,
    values: Float64Array,
    ids: Float64Array,
    texts: readonly string[] | undefined
  ) {
    this.count = times.length
    this.#times = times
    this.#values = values
    this.#ids = ids
    this.#texts = texts
  }

  /** The points must be sorted. */
  static of(points: readonly Point[]): PlainColumns {
    const count = points.length
    const [times, values, ids] = [0, 0, 0].map(() => new Float64Array(count)) as [
      Float64Array,
      Float64Array,
      Float64Array
    ]
    let hasTexts = false
    for (let i = 0; i < count; i++) {
      const [time, value, msg, id] = points[i] as Point
      times[i] = time
      values[i] = value
      ids[i] = id
      hasTexts ||= msg !== ''
    }
    return new PlainColumns(
      times,
      values,
      ids,
      hasTexts ? points.map(([, , msg]) => msg) : undefined
    )
  }

  get first(): number {
    return this.#times[0] as number
  }

  get last(): number {
    return this.#times[this.count - 1] as number
  }

  get textBytes(): number {
    return (this.#texts ?? []).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  }

  regular(): undefined {}

  times(): Float64Array {
    return this.#times
  }

  values(): Float64Array {
    return this.#values
  }

  ids(): Float64Array {
    return this.#ids
  }

  texts(): readonly string[] | undefined {
    return this.#texts
  }

  summaries(): readonly Summary[] {
    return []
  }

  slots(): undefined {}

  release(): void {}
}

export const comparePoints = (a: Point, b: Point): number => a[0] - b[0] || a[3] - b[3]

/** Some of the samples, from `begin` to before `end`. */
export type Slice = { columns: Columns; begin: number; end: number }

export const wholeOf = (columns: Columns): Slice => ({ columns, begin: 0, end: columns.count })

/** The index of the first sample at `time` or later. */
export function indexAt(columns: Columns, time: number, begin = 0): number {
  if (time > columns.last) return columns.count
  if (time <= columns.first) return begin
  const regular = columns.regular()
  if (regular) return Math.max(begin, Math.ceil((time - regular.first) / regular.step))
  const times = columns.times()
  // Most are near, so the steps start small and grow.
  let [low, high, step] = [begin, begin, 1]
  while (high < columns.count && (times[high] as number) < time) {
    low = high + 1
    high += step
    step *= 2
  }
  if (high > columns.count) high = columns.count
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) < time) low = middle + 1
    else high = middle
  }
  return low
}

export const timeAt = (columns: Columns, index: number): number =>
  index === 0 ? columns.first : (columns.times()[index] as number)

export function* pointsOf({ columns, begin, end }: Slice): Generator<Point> {
  const [times, values, ids, texts] = [
    columns.times(),
    columns.values(),
    columns.ids(),
    columns.texts()
  ]
  for (let i = begin; i < end; i++)
    yield [times[i] as number, values[i] as number, texts?.[i] ?? '', ids[i] as number]
}
