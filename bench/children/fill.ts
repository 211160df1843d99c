import { join } from 'node:path'
import { SampleIds } from '../../src/history/sample-ids.ts'
import { openSqliteHistory, type SqliteHistory } from '../../src/history/sqlite/history.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { answerWith } from '../child.ts'
import { arrivalAt, timestampAt, topicOf, valueAt } from '../samples.ts'
import type { Filling } from '../store.ts'

export type FillQuestion =
  | { kind: 'open'; dataDir: string }
  /** The samples that arrive in this part of the time; the last part has all that are left. */
  | { kind: 'append'; filling: Filling; from: number; to: number }
  | { kind: 'pack' }
  /** The number of samples that history finds. */
  | { kind: 'count'; installation_id: number }
  | { kind: 'close' }
export type FillAnswer = number | undefined

type Arrival = { at: number; series: number; minute: number }

const ids = new SampleIds(0)
let history: SqliteHistory
let storing: Promise<void> = Promise.resolve()
let late: Arrival[] = []

async function answer(question: FillQuestion): Promise<FillAnswer> {
  if (question.kind === 'open') {
    history = await openSqliteHistory(join(question.dataDir, 'history/sqlite'))
    return
  }
  if (question.kind === 'append') return append(question)
  await storing
  if (question.kind === 'pack') await history.packAll()
  else if (question.kind === 'count') return count(question.installation_id)
  else await history.close()
}

/** The rows are made while history stores the ones before. */
async function append(batch: Extract<FillQuestion, { kind: 'append' }>): Promise<undefined> {
  const { filling, from, to } = batch
  const lines = filling.rhythm === 'live' ? linesOfLive(filling, from, to) : linesOf(batch)
  const rows = Buffer.from(lines.join(''))
  await storing
  storing = history.append(rows, `bench-${from}`)
  storing.catch(() => {})
}

async function count(installation_id: number): Promise<number> {
  const [from, to] = [unixMs(0), unixMs(Date.now())]
  const window = { topics: undefined, from, to, order: 'desc', limit: 1, offset: 0 } as const
  return (await history.readPage({ installation_id, ...window })).total
}

/** In the order of arrival: minute by minute, every topic once. */
function linesOf({ filling, from, to }: { filling: Filling; from: number; to: number }): string[] {
  const lines: string[] = []
  const count = filling.installations.length * filling.topics
  for (let minute = from; minute < to; minute += MINUTE) {
    for (let series = 0; series < count; series++) {
      const at = timestampAt(filling.rhythm, series, minute)
      lines.push(lineOf(filling, { at, series, minute }))
    }
  }
  return lines
}

function linesOfLive(filling: Filling, from: number, to: number): string[] {
  const count = filling.installations.length * filling.topics
  const arrivals = late
  for (let minute = from; minute < to; minute += MINUTE) {
    for (let series = 0; series < count; series++)
      arrivals.push({ at: arrivalAt(series, minute), series, minute })
  }
  arrivals.sort((a, b) => a.at - b.at)
  const found = to < filling.to ? arrivals.findIndex(({ at }) => at >= to) : -1
  const arrived = found === -1 ? arrivals.length : found
  late = arrivals.slice(arrived)
  return arrivals.slice(0, arrived).map((arrival) => lineOf(filling, arrival))
}

function lineOf(filling: Filling, { at, series, minute }: Arrival): string {
  const { installations, topics, rhythm } = filling
  const { id: installation_id, client_id } = installations[Math.floor(series / topics)] ?? {
    id: 0,
    client_id: 0
  }
  return encodeSample({
    ...{ id: ids.next(at), installation_id, client_id },
    topic: topicOf(client_id, series % topics),
    timestamp: unixMs(timestampAt(rhythm, series, minute)),
    value: valueAt(series, minute),
    msg: ''
  })
}

answerWith(answer)
