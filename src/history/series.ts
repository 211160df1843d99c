import { type UnixMs, unixMs } from '../lib/unix-time.ts'
import type { SeriesPart } from './history.ts'

/** The place after the first `skip` samples of a topic at this timestamp. */
export type SeriesPlace = { topic: string; timestamp: UnixMs; skip: number }

/** Samples by topic, time and id. `runs` has the topics, each with the number of its samples. */
export type SeriesPage = {
  runs: readonly { topic: string; count: number }[]
  times: Float64Array
  values: Float64Array
}

/** A page with fewer samples is the last one. */
export const SERIES_SAMPLES = 131_072

/** The next page is read while the caller works on the one before. */
export async function* readSeries(
  read: (from: SeriesPlace) => Promise<SeriesPage>
): AsyncGenerator<SeriesPart> {
  let place: SeriesPlace = { topic: '', timestamp: unixMs(0), skip: 0 }
  let reading = read(place)
  for (;;) {
    const page = await reading
    const isLast = page.times.length < SERIES_SAMPLES
    if (!isLast) {
      place = placeAfter(place, page)
      reading = read(place)
      // The caller hears of it when it asks for the next part, if it does.
      reading.catch(() => {})
    }
    yield* partsOf(page)
    if (isLast) return
  }
}

function* partsOf({ runs, times, values }: SeriesPage): Generator<SeriesPart> {
  let at = 0
  for (const { topic, count } of runs) {
    const end = at + count
    yield { topic, times: times.subarray(at, end), values: values.subarray(at, end) }
    at = end
  }
}

function placeAfter(from: SeriesPlace, { runs, times }: SeriesPage): SeriesPlace {
  const { topic, count } = runs.at(-1) ?? { topic: '', count: 0 }
  const begin = times.length - count
  const last = times[times.length - 1] as UnixMs
  let first = times.length - 1
  while (first > begin && times[first - 1] === last) first--
  const isSame = first === begin && topic === from.topic && last === from.timestamp
  return { topic, timestamp: last, skip: times.length - first + (isSame ? from.skip : 0) }
}
