import {
  type Columns,
  comparePoints,
  indexAt,
  PlainColumns,
  type Point,
  pointsOf,
  type Slice,
  timeAt,
  wholeOf
} from './columns.ts'

/**
 * The samples of a topic from several places, each sorted, as one sorted sequence. A sample that is
 * in several places comes once, with the greatest id, as if it had replaced the earlier ones.
 */
export function* mergeSamples(places: readonly Iterable<Columns>[]): Generator<Slice> {
  let runs = places.map((place) => new Run(place))
  try {
    for (;;) {
      runs = runs.filter((run) => run.isOpen)
      const [lowest, next] = lowestTwo(runs)
      if (lowest === undefined) return
      if (next === undefined) yield lowest.takeBefore(Number.POSITIVE_INFINITY)
      else if (lowest.time < next.time) yield lowest.takeBefore(next.time)
      else yield* tied(runs, lowest.time)
    }
  } finally {
    for (const run of runs) run.close()
  }
}

/** One place, read from its oldest sample to its newest. */
class Run {
  readonly #rest: Iterator<Columns>
  #columns: Columns | undefined
  #at = 0
  /** The time of the next sample. */
  time = Number.POSITIVE_INFINITY

  constructor(place: Iterable<Columns>) {
    this.#rest = place[Symbol.iterator]()
    this.#open()
  }

  get isOpen(): boolean {
    return this.#columns !== undefined
  }

  /** The next samples that are older than `time`, as far as they lie together. */
  takeBefore(time: number): Slice {
    const columns = this.#columns as Columns
    return this.#take(columns.last < time ? columns.count : indexAt(columns, time, this.#at))
  }

  /** The next samples, all of the same time. */
  *takeAt(time: number): Generator<Slice> {
    while (this.#columns && this.time === time) {
      const { last, count } = this.#columns
      yield this.#take(last === time ? count : indexAt(this.#columns, time + 1, this.#at))
    }
  }

  close(): void {
    this.#rest.return?.()
  }

  #take(end: number): Slice {
    const columns = this.#columns as Columns
    const slice = { columns, begin: this.#at, end }
    this.#at = end
    if (end === columns.count) this.#open()
    else this.time = timeAt(columns, end)
    return slice
  }

  #open(): void {
    const { done, value } = this.#rest.next()
    this.#columns = done ? undefined : value
    this.#at = 0
    this.time = this.#columns?.first ?? Number.POSITIVE_INFINITY
  }
}

function lowestTwo(runs: readonly Run[]): [lowest?: Run, next?: Run] {
  let lowest: Run | undefined
  let next: Run | undefined
  for (const run of runs) {
    if (lowest === undefined || run.time < lowest.time) [lowest, next] = [run, lowest]
    else if (next === undefined || run.time < next.time) next = run
  }
  return lowest ? (next ? [lowest, next] : [lowest]) : []
}

/** The samples of one moment from all places. */
function* tied(runs: readonly Run[], time: number): Generator<Slice> {
  const found = new Map<string, Point>()
  for (const run of runs) {
    if (run.time !== time) continue
    for (const slice of run.takeAt(time)) {
      for (const point of pointsOf(slice)) {
        const key = `${point[1]} ${point[2]}`
        const known = found.get(key)
        if (known === undefined || known[3] < point[3]) found.set(key, point)
      }
    }
  }
  yield wholeOf(PlainColumns.of([...found.values()].sort(comparePoints)))
}
