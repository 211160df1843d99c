import { encodeSample, type Sample } from '../lib/sample.ts'
import { endOfMonth, type UnixMs, unixMs } from '../lib/unix-time.ts'
import type { MonthPart, SamplePlace } from './history.ts'

/** Bounds of one part, so that it needs little memory. */
export const PART_ROWS = 20_000
export const PART_BYTES = 8 * 1024 * 1024

export const BEGIN: SamplePlace = { installation_id: 0, topic: '', timestamp: unixMs(0), skip: 0 }

/** The first and last millisecond of a month (`2025-11`, in UTC). */
export function spanOfMonth(name: string): { from: UnixMs; to: UnixMs } {
  const [year = 0, month = 0] = name.split('-').map(Number)
  return { from: unixMs(Date.UTC(year, month - 1)), to: unixMs(endOfMonth(name) - 1) }
}

/** Reads one part after another until nothing is left. `read` reads the part after a place. */
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

/** The place after the last sample. `skip` counts the samples of the same topic and timestamp. */
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
