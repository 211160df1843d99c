import type { UnixMs } from '../../lib/unix-time.ts'
import type { Grid } from './grid.ts'

const FIRST_RESULTS = 1024

/** A page of results, by their places. */
export type ResultPage = { places: Uint32Array; results: Results }

/** Results in the order in which they are computed. */
export class Results {
  readonly methods: number
  readonly #grid: Grid
  readonly #topics: number
  #buckets = new Uint32Array(FIRST_RESULTS)
  #ranks = new Uint32Array(FIRST_RESULTS)
  #values: Float64Array
  #count = 0

  constructor(grid: Grid, { topics, methods }: { topics: number; methods: number }) {
    this.methods = methods
    this.#grid = grid
    this.#topics = topics
    this.#values = new Float64Array(FIRST_RESULTS * methods)
  }

  get count(): number {
    return this.#count
  }

  add(bucket: number, rank: number, results: readonly number[]): void {
    if (this.#count === this.#buckets.length) this.#grow()
    const at = this.#count++
    this.#buckets[at] = bucket
    this.#ranks[at] = rank
    for (let i = 0; i < this.methods; i++)
      this.#values[at * this.methods + i] = results[i] as number
  }

  rankAt(place: number): number {
    return this.#ranks[place] as number
  }

  startAt(place: number): UnixMs {
    return this.#grid.startOf(this.#buckets[place] as number)
  }

  valueAt(place: number, method: number): number {
    return this.#values[place * this.methods + method] as number
  }

  /** By bucket, then by topic. */
  page(order: 'asc' | 'desc', offset: number, limit: number): ResultPage {
    const sorted = this.#sorted()
    if (order === 'desc') sorted.reverse()
    return { places: sorted.subarray(offset, offset + limit), results: this }
  }

  #grow(): void {
    const doubled = <Column extends Uint32Array | Float64Array>(column: Column, larger: Column) => {
      larger.set(column)
      return larger
    }
    this.#buckets = doubled(this.#buckets, new Uint32Array(2 * this.#buckets.length))
    this.#ranks = doubled(this.#ranks, new Uint32Array(2 * this.#ranks.length))
    this.#values = doubled(this.#values, new Float64Array(2 * this.#values.length))
  }

  /** Each bucket of a topic has one result at most, so every result has a cell of its own. */
  #sorted(): Uint32Array {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (let at = 0; at < this.#count; at++) {
      const bucket = this.#buckets[at] as number
      if (bucket < first) first = bucket
      if (bucket > last) last = bucket
    }
    const cells = new Uint32Array(this.#count === 0 ? 0 : (last - first + 1) * this.#topics)
    for (let at = 0; at < this.#count; at++) {
      const bucket = this.#buckets[at] as number
      cells[(bucket - first) * this.#topics + (this.#ranks[at] as number)] = at + 1
    }
    const sorted = new Uint32Array(this.#count)
    let size = 0
    for (let cell = 0; cell < cells.length; cell++) {
      const at = cells[cell] as number
      if (at > 0) sorted[size++] = at - 1
    }
    return sorted
  }
}
