import type { SeriesQuery } from '../history.ts'
import { SERIES_SAMPLES, type SeriesPage, type SeriesPlace } from '../series.ts'
import type { Stored, StoredTopic } from './stored.ts'

/** The samples after a place. `throwIfCancelled` is called often. */
export function readSeriesPage(
  stored: Stored,
  query: SeriesQuery,
  from: SeriesPlace,
  throwIfCancelled: () => void
): SeriesPage {
  const page = new PageOfNumbers()
  const whole = stored.within(query)
  for (const { topic_id, topic, order } of topicsFrom(stored.topicsOf(query), from.topic)) {
    const isBegun = order === 0
    const span = isBegun ? stored.within({ from: from.timestamp, to: query.to }) : whole
    let skip = isBegun ? from.skip : 0
    page.begin(topic)
    for (const { columns, begin, end } of span.numbersOf(topic_id)) {
      throwIfCancelled()
      const first = Math.min(begin + skip, end)
      skip -= first - begin
      if (first < end) page.add(columns.times(), columns.values(), first, end)
      if (end === columns.count) columns.release()
      if (page.isFull) return page.end()
    }
  }
  return page.end()
}

function* topicsFrom(
  topics: readonly StoredTopic[],
  first: string
): Generator<StoredTopic & { order: number }> {
  const least = Buffer.from(first)
  for (const topic of topics) {
    const order = Buffer.compare(Buffer.from(topic.topic), least)
    if (order >= 0) yield { ...topic, order }
  }
}

class PageOfNumbers {
  readonly #times = new Float64Array(SERIES_SAMPLES)
  readonly #values = new Float64Array(SERIES_SAMPLES)
  readonly #runs: { topic: string; count: number }[] = []
  #count = 0

  get isFull(): boolean {
    return this.#count === SERIES_SAMPLES
  }

  begin(topic: string): void {
    this.#runs.push({ topic, count: 0 })
  }

  /** Takes as many as there is room for. */
  add(times: Float64Array, values: Float64Array, begin: number, end: number): void {
    const stop = Math.min(end, begin + SERIES_SAMPLES - this.#count)
    this.#times.set(times.subarray(begin, stop), this.#count)
    this.#values.set(values.subarray(begin, stop), this.#count)
    const run = this.#runs.at(-1)
    if (run) run.count += stop - begin
    this.#count += stop - begin
  }

  end(): SeriesPage {
    const isShort = this.#count < SERIES_SAMPLES
    return {
      runs: this.#runs.filter(({ count }) => count > 0),
      times: isShort ? this.#times.slice(0, this.#count) : this.#times,
      values: isShort ? this.#values.slice(0, this.#count) : this.#values
    }
  }
}
