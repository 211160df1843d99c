import { join } from 'node:path'
import { SampleIds } from '../../src/history/sample-ids.ts'
import { openSqliteHistory, type SqliteHistory } from '../../src/history/sqlite/history.ts'
import { encodeFrom, encodeSource } from '../../src/lib/sample.ts'
import { MINUTE, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { answerWith } from '../child.ts'
import { arrivalAt, countAt, timestampAt, topicOf, valueAt } from '../samples.ts'
import type { Filling } from '../store.ts'

export type FillQuestion =
  | { kind: 'open'; dataDir: string }
  /** All samples of these series, from `first` to before `stop`. */
  | { kind: 'append'; filling: Filling; first: number; stop: number }
  /** The samples that arrive in this part of the time; the last part has all that are left. */
  | { kind: 'append live'; filling: Filling; from: number; to: number }
  | { kind: 'pack' }
  /** The number of samples that history finds. */
  | { kind: 'count'; installation_id: number }
  | { kind: 'close' }
export type FillAnswer = number | undefined

type Arrival = { at: number; series: number; minute: number }

/** A text of all rows would be slow to make. */
const TEXT_PER_PART = 64 * 1024

const ids = new SampleIds(0)
let history: SqliteHistory
let storing: Promise<void> = Promise.resolve()
let late: Arrival[] = []

async function answer(question: FillQuestion): Promise<FillAnswer> {
  if (question.kind === 'open') {
    history = await openSqliteHistory(join(question.dataDir, 'history/sqlite'))
    return
  }
  if (question.kind === 'append') return append(rowsOf(question), `bench-${question.first}`)
  if (question.kind === 'append live') return append(liveRowsOf(question), `bench-${question.from}`)
  await storing
  if (question.kind === 'pack') await history.packAll()
  else if (question.kind === 'count') return count(question.installation_id)
  else await history.close()
}

/** The rows are made while history stores the ones before. */
async function append(rows: Buffer, token: string): Promise<undefined> {
  await storing
  storing = history.append(rows, token)
  storing.catch(() => {})
}

async function count(installation_id: number): Promise<number> {
  const [from, to] = [unixMs(0), unixMs(Date.now())]
  const window = { topics: undefined, from, to, order: 'desc', limit: 1, offset: 0 } as const
  return (await history.readPage({ installation_id, ...window })).total
}

/** Series by series, as an import brings them. */
function rowsOf({ filling, first, stop }: Extract<FillQuestion, { kind: 'append' }>): Buffer {
  const { rhythm, from, to } = filling
  const parts: Buffer[] = []
  let text = ''
  for (let series = first; series < stop; series++) {
    const source = sourceOf(filling, series)
    for (let minute = from; minute < to; minute += MINUTE) {
      const at = timestampAt(rhythm, series, minute)
      // Who sends at the same moment arrives in order.
      text += rowOf(source, { at: unixMs(at), id: at * 1000 + countAt(series), series, minute })
      if (text.length < TEXT_PER_PART) continue
      parts.push(Buffer.from(text))
      text = ''
    }
  }
  return Buffer.concat([...parts, Buffer.from(text)])
}

/** In the order of arrival. */
function liveRowsOf({ filling, from, to }: Extract<FillQuestion, { kind: 'append live' }>): Buffer {
  const count = filling.installations.length * filling.topics
  const sources = Array.from({ length: count }, (_, series) => sourceOf(filling, series))
  const arrivals = late
  for (let minute = from; minute < to; minute += MINUTE) {
    for (let series = 0; series < count; series++)
      arrivals.push({ at: arrivalAt(series, minute), series, minute })
  }
  arrivals.sort((a, b) => a.at - b.at)
  const found = to < filling.to ? arrivals.findIndex(({ at }) => at >= to) : -1
  const arrived = found === -1 ? arrivals.length : found
  late = arrivals.slice(arrived)
  const rows = arrivals.slice(0, arrived).map(({ at, series, minute }) => {
    const time = unixMs(timestampAt('live', series, minute))
    return rowOf(sources[series] ?? '', { at: time, id: ids.next(at), series, minute })
  })
  return Buffer.from(rows.join(''))
}

function sourceOf({ installations, topics }: Filling, series: number): string {
  const none = { id: 0, client_id: 0 }
  const { id: installation_id, client_id } = installations[Math.floor(series / topics)] ?? none
  return encodeSource({ installation_id, client_id, topic: topicOf(client_id, series % topics) })
}

type Told = { at: UnixMs; id: number; series: number; minute: number }
const rowOf = (source: string, { at, id, series, minute }: Told): string =>
  encodeFrom(source, { id, timestamp: at, value: valueAt(series, minute), msg: '' })

answerWith(answer)
