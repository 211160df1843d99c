import { encodeSample, type Sample } from '../lib/sample.ts'
import { endOfMonth, type UnixMs, unixMs } from '../lib/unix-time.ts'
import type { MonthPart, SamplePlace } from './history.ts'

/** At a time: little enough to hold, whatever the messages. */
export const PART_ROWS = 20_000
export const PART_BYTES = 8 * 1024 * 1024

export const BEGIN: SamplePlace = { installation_id: 0, topic: '', timestamp: unixMs(0), skip: 0 }

/** First and last millisecond of a month (`2025-11`, in UTC). */
export function spanOfMonth(name: string): { from: UnixMs; to: UnixMs } {
  const [year = 0, month = 0] = name.split('-').map(Number)
  return { from: unixMs(Date.UTC(year, month - 1)), to: unixMs(endOfMonth(name) - 1) }
}

/** Part after part until nothing is left; `read` answers what follows a place. */
export async function* readOnward(
  from: SamplePlace,
  read: (from: SamplePlace) => Promise<MonthPart>
): AsyncGenerator<MonthPart> {
  for (let place = from; ; ) {
    const part = await read(place)
    if (part.count === 0) return
    yield part
    place = part.next
  }
}

export const partOf = (from: SamplePlace, samples: readonly Sample[]): MonthPart => ({
  rows: Buffer.from(samples.map(encodeSample).join('')),
  count: samples.length,
  next: placeAfter(from, samples)
})

/** Behind the last of them. Samples of one topic and moment are told apart by counting. */
function placeAfter(from: SamplePlace, samples: readonly Sample[]): SamplePlace {
  const last = samples.at(-1)
  if (!last) return from
  const first = 1 + samples.findLastIndex((sample) => !isSameMoment(sample, last))
  const before = first === 0 && isSameMoment(from, last) ? from.skip : 0
  const { installation_id, topic, timestamp } = last
  return { installation_id, topic, timestamp, skip: before + samples.length - first }
}

type Moment = Omit<SamplePlace, 'skip'>

const isSameMoment = (a: Moment, b: Moment): boolean =>
  a.timestamp === b.timestamp && a.topic === b.topic && a.installation_id === b.installation_id
