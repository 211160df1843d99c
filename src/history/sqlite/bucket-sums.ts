import type { Method } from '../../lib/aggregation.ts'
import { firstIndex } from '../../lib/first-index.ts'
import { HOUR } from '../../lib/unix-time.ts'
import { type Columns, indexAt, type Slice, timeAt } from './columns.ts'
import type { Grid } from './grid.ts'
import { SAMPLES_PER_SLOT, type Slots } from './slots.ts'
import type { Summary } from './summary.ts'
import { ValueBag } from './value-bag.ts'

/** Takes the results of the methods for a bucket of a topic; the list is used again. */
export type Emit = (bucket: number, results: readonly number[]) => void

const needs: Readonly<Record<Method['name'], readonly Need[]>> = {
  count: [],
  first: [],
  last: [],
  avg: ['sum'],
  sum: ['sum'],
  min: ['ends'],
  max: ['ends'],
  spread: ['ends'],
  stddev: ['squares'],
  median: ['values'],
  percentile: ['values'],
  integral: ['area']
}
const NO_VALUES = new Float64Array(0)

/** The shortest day of a calendar: the clock goes on by two hours at most. */
const SHORTEST_DAY = 22 * HOUR

type Need = 'sum' | 'ends' | 'squares' | 'values' | 'area'

/** Computes any methods in one pass over the samples of a topic, which come in order. */
export class BucketSums {
  readonly #grid: Grid
  readonly #methods: readonly Method[]
  readonly #emit: Emit
  readonly #need: Readonly<Record<Need, boolean>>
  readonly #needsValues: boolean
  /** Of the first bucket. Those of a calendar are all longer than a slot. */
  readonly #length: number
  readonly #hasDays: boolean
  readonly #hasSlots: boolean
  readonly #results: number[]
  /** For a median or percentile. */
  readonly #values = new ValueBag()
  #bucket = -1
  #stop = Number.NEGATIVE_INFINITY
  #count = 0
  #first = 0
  #sum = 0
  #min = 0
  #max = 0
  #shifted = 0
  #squares = 0
  #area = 0
  #lastTime = 0
  #lastValue = 0

  constructor(grid: Grid, methods: readonly Method[], emit: Emit) {
    this.#grid = grid
    this.#methods = methods
    this.#emit = emit
    const needed = new Set(methods.flatMap(({ name }) => needs[name]))
    const has = (need: Need) => needed.has(need)
    this.#need = {
      ...{ sum: has('sum'), ends: has('ends'), squares: has('squares') },
      ...{ values: has('values'), area: has('area') }
    }
    this.#needsValues = methods.some(({ name }) => name !== 'count')
    this.#length = grid.stopOf(0) - grid.startOf(0)
    this.#hasDays = this.#length >= SHORTEST_DAY
    this.#hasSlots = !has('squares') && !has('values') && !has('area')
    this.#results = methods.map(() => 0)
  }

  add(slice: Slice): void {
    const { columns, begin, end } = slice
    const summaries = this.#usesSummaries(columns) ? columns.summaries() : []
    if (summaries.length === 0) this.#addShort(slice)
    let at = 0
    for (const summary of summaries) {
      const [from, to] = [Math.max(at, begin), Math.min(at + summary.count, end)]
      at += summary.count
      if (from >= to) continue
      const isWhole = to - from === summary.count
      const stop = this.#stopAfter(summary.firstTime)
      if (isWhole && summary.lastTime < stop) this.#addSummary(summary)
      else this.#addShort({ columns, begin: from, end: to })
    }
  }

  /** Ends the topic. */
  end(): void {
    this.#close()
    this.#bucket = -1
    this.#stop = Number.NEGATIVE_INFINITY
  }

  /** Most summaries are of a day, so that shorter buckets need one only for a whole block. */
  #usesSummaries({ first, last }: Columns): boolean {
    return !this.#need.values && (this.#hasDays || last < this.#stopAfter(first))
  }

  #stopAfter(time: number): number {
    return time < this.#stop ? this.#stop : this.#grid.stopOf(this.#grid.indexOf(time))
  }

  /** Samples that no summary stands for. Slots do, if all samples of a slot are in one bucket. */
  #addShort({ columns, begin, end }: Slice): void {
    const slots = this.#usesSlots(columns, end - begin) && columns.slots(this.#length)
    if (!slots) {
      this.#addSamples(columns, begin, end)
      return
    }
    const { length, begins, starts } = slots
    let slot = firstIndex(starts.length, (i) => (begins[i + 1] as number) <= begin)
    for (let at = begin; at < end; slot++) {
      const [first, next] = [begins[slot] as number, begins[slot + 1] as number]
      const start = starts[slot] as number
      const isWhole = at === first && next <= end
      if (isWhole && start + length <= this.#stopAfter(start)) this.#addSlot(slots, slot)
      else this.#addSamples(columns, at, Math.min(next, end))
      at = next
    }
  }

  #usesSlots(columns: Columns, count: number): boolean {
    if (!this.#hasSlots || count < SAMPLES_PER_SLOT) return false
    // Samples of a regular topic are counted by their number.
    return this.#needsValues || columns.regular() === undefined
  }

  #addSamples(columns: Columns, begin: number, end: number): void {
    const values = this.#needsValues ? columns.values() : NO_VALUES
    const regular = columns.regular()
    for (let at = begin; at < end; ) {
      const time = regular ? regular.first + at * regular.step : timeAt(columns, at)
      this.#enter(time, values[at] ?? 0)
      const stop = regular
        ? Math.ceil((this.#stop - regular.first) / regular.step)
        : indexAt(columns, this.#stop, at)
      const next = Math.min(stop, end)
      this.#addValues(values, at, next)
      if (this.#need.area) {
        this.#addLine(time, values[at] as number)
        if (regular) this.#addEvenArea(regular, values, at, next)
        else this.#addArea(columns.times(), values, at, next)
      }
      this.#lastValue = values[next - 1] ?? 0
      this.#count += next - at
      at = next
    }
  }

  #addValues(values: Float64Array, begin: number, end: number): void {
    const { sum, ends, squares } = this.#need
    if (sum) {
      let total = 0
      for (let i = begin; i < end; i++) total += values[i] as number
      this.#sum += total
    }
    if (ends) {
      let [min, max] = [this.#min, this.#max]
      for (let i = begin; i < end; i++) {
        const value = values[i] as number
        if (value < min) min = value
        if (value > max) max = value
      }
      this.#min = min
      this.#max = max
    }
    if (squares) {
      for (let i = begin; i < end; i++) {
        // Subtracting one of the values keeps precision when all values are large.
        const distance = (values[i] as number) - this.#first
        this.#shifted += distance
        this.#squares += distance * distance
      }
    }
    if (this.#need.values) this.#values.add(values, begin, end)
  }

  /** The area from the sample before to this one; nothing if `#enter` moved to it. */
  #addLine(time: number, value: number): void {
    this.#area += (value + this.#lastValue) * (time - this.#lastTime)
  }

  #addArea(times: Float64Array, values: Float64Array, begin: number, end: number): void {
    let time = times[begin] as number
    let value = values[begin] as number
    let area = this.#area
    for (let i = begin + 1; i < end; i++) {
      const nextTime = times[i] as number
      const nextValue = values[i] as number
      area += (nextValue + value) * (nextTime - time)
      time = nextTime
      value = nextValue
    }
    this.#area = area
    this.#lastTime = time
  }

  /** The same for samples that are all as far apart. */
  #addEvenArea(
    { first, step }: { first: number; step: number },
    values: Float64Array,
    begin: number,
    end: number
  ): void {
    let value = values[begin] as number
    let area = this.#area
    for (let i = begin + 1; i < end; i++) {
      const nextValue = values[i] as number
      area += (nextValue + value) * step
      value = nextValue
    }
    this.#area = area
    this.#lastTime = first + (end - 1) * step
  }

  #addSummary(summary: Summary): void {
    const { count, firstTime, firstValue } = summary
    this.#enter(firstTime, firstValue)
    this.#sum += summary.sum
    if (summary.min < this.#min) this.#min = summary.min
    if (summary.max > this.#max) this.#max = summary.max
    const distance = summary.sum / count - this.#first
    this.#shifted += count * distance
    this.#squares += summary.squares + count * distance * distance
    this.#area += (firstValue + this.#lastValue) * (firstTime - this.#lastTime) + summary.area
    this.#lastTime = summary.lastTime
    this.#lastValue = summary.lastValue
    this.#count += count
  }

  #addSlot({ begins, starts, firsts, lasts, mins, maxes, sums }: Slots, slot: number): void {
    this.#enter(starts[slot] as number, firsts[slot] as number)
    this.#sum += sums[slot] as number
    const [min, max] = [mins[slot] as number, maxes[slot] as number]
    if (min < this.#min) this.#min = min
    if (max > this.#max) this.#max = max
    this.#lastValue = lasts[slot] as number
    this.#count += (begins[slot + 1] as number) - (begins[slot] as number)
  }

  /** Goes to the bucket of a sample. If it is another one, the bucket before is finished. */
  #enter(time: number, value: number): void {
    if (time < this.#stop) return
    const bucket = this.#grid.indexOf(time)
    const stop = this.#grid.stopOf(bucket)
    let cut = time
    let atCut = value
    if (this.#bucket >= 0) {
      if (this.#need.area) {
        // The line from the sample before is cut where the bucket of that sample ends.
        cut = this.#stop
        const slope = (value - this.#lastValue) / (time - this.#lastTime)
        atCut = this.#lastValue + slope * (cut - this.#lastTime)
        this.#area += (this.#lastValue + atCut) * (cut - this.#lastTime)
      }
      this.#close()
    }
    this.#bucket = bucket
    this.#stop = stop
    this.#count = 0
    this.#values.clear()
    this.#first = value
    this.#sum = 0
    this.#min = value
    this.#max = value
    this.#shifted = 0
    this.#squares = 0
    this.#area = (atCut + value) * (time - cut)
    this.#lastTime = time
    this.#lastValue = value
  }

  #close(): void {
    if (this.#bucket < 0) return
    const methods = this.#methods
    for (let i = 0; i < methods.length; i++) this.#results[i] = this.#resultOf(methods[i] as Method)
    this.#emit(this.#bucket, this.#results)
  }

  #resultOf(method: Method): number {
    const count = this.#count
    switch (method.name) {
      case 'count':
        return count
      case 'first':
        return this.#first
      case 'last':
        return this.#lastValue
      case 'avg':
        return this.#sum / count
      case 'sum':
        return this.#sum
      case 'min':
        return this.#min
      case 'max':
        return this.#max
      case 'spread':
        return this.#max - this.#min
      case 'stddev':
        return this.#deviation()
      case 'median':
        return this.#values.middle()
      case 'percentile': {
        const rank = Math.floor((count * method.x) / 100 + 0.5)
        return this.#values.nth(Math.min(Math.max(rank, 1), count) - 1)
      }
      case 'integral':
        return this.#area / (2000 * method.x)
    }
  }

  #deviation(): number {
    const count = this.#count
    if (count === 1) return 0
    const variance = (this.#squares - (this.#shifted * this.#shifted) / count) / (count - 1)
    // Too large for a number is infinite.
    return Number.isNaN(variance) ? Number.POSITIVE_INFINITY : Math.sqrt(Math.max(variance, 0))
  }
}
