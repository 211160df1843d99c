import type { DatabaseSync } from 'node:sqlite'
import { MINUTE } from '../../src/lib/unix-time.ts'
import { answerWith } from '../child.ts'
import { insertInto, openPlainRows } from '../plain-rows.ts'
import { timestampAt, topicOf, valueAt } from '../samples.ts'
import type { Filling } from '../store.ts'

export type BareQuery = {
  installation_id: number
  from: number
  to: number
  limit: number
  offset: number
}
export type BareQuestion = { directory: string; filling: Filling } | BareQuery
export type BareAnswer = { ms: number; total: number; rows: number; oldest: number }

type Ask = (query: BareQuery) => Omit<BareAnswer, 'ms'>
let ask: Ask

/** The floor of a page: the obvious statement, run in the thread that needs the rows. */
answerWith(async (question: BareQuestion): Promise<BareAnswer> => {
  if ('directory' in question) {
    const file = openPlainRows(question.directory)
    if (!file.prepare('SELECT 1 FROM topics').get()) fill(file, question.filling)
    ask = bare(file)
    return { ms: 0, total: 0, rows: 0, oldest: 0 }
  }
  const start = performance.now()
  const answer = ask(question)
  return { ms: performance.now() - start, ...answer }
})

function bare(file: DatabaseSync): Ask {
  const matching = `FROM topics CROSS JOIN samples USING (topic_id)
    WHERE installation_id = ? AND timestamp BETWEEN ? AND ?`
  return ({ installation_id, from, to, limit, offset }) => {
    const count = file.prepare(`SELECT count(*) AS total ${matching}`)
    const read = file.prepare(
      `SELECT client_id, installation_id, timestamp, value, msg, topic ${matching}
       ORDER BY timestamp DESC, topic DESC, samples.id DESC LIMIT ? OFFSET ?`
    )
    read.setReturnArrays(true)
    const total = Number(count.get(installation_id, from, to)?.['total'])
    const rows = read.all(installation_id, from, to, limit, offset) as unknown as number[][]
    return { total, rows: rows.length, oldest: rows.at(-1)?.[2] ?? 0 }
  }
}

/** The same samples as in the store, all or none. */
function fill(file: DatabaseSync, { installations, topics, from, to, rhythm }: Filling): void {
  const row = insertInto(file)
  const addTopic = file.prepare('INSERT INTO topics VALUES (?, ?, ?, ?)')
  file.exec('BEGIN')
  for (const [place, { id: installation_id, client_id }] of installations.entries()) {
    for (let topic = 0; topic < topics; topic++) {
      const series = place * topics + topic
      addTopic.run(series, installation_id, client_id, topicOf(client_id, topic))
      for (let minute = from; minute < to; minute += MINUTE) {
        const timestamp = timestampAt(rhythm, series, minute)
        row.run(series, timestamp, valueAt(series, minute), '', timestamp * 1000)
      }
    }
  }
  file.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
}
