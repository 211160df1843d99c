import { join } from 'node:path'
import { monthAt, openSqliteFile } from '../../src/history/sqlite-file.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { answerWith } from '../child.ts'

export type BareQuery = {
  installation_id: number
  from: number
  to: number
  limit: number
  offset: number
}
export type BareQuestion = { directory: string } | BareQuery
export type BareAnswer = { ms: number; total: number; rows: number; oldest: number }

type Ask = (query: BareQuery) => Omit<BareAnswer, 'ms'>
let ask: Ask

/** The floor of a page: the statement anybody would write, run where the rows are wanted. */
answerWith(async (question: BareQuestion): Promise<BareAnswer> => {
  if ('directory' in question) {
    ask = openBare(question.directory)
    return { ms: 0, total: 0, rows: 0, oldest: 0 }
  }
  const start = performance.now()
  const answer = ask(question)
  return { ms: performance.now() - start, ...answer }
})

function openBare(directory: string): Ask {
  const file = openSqliteFile(join(directory, 'sqlite'))
  return ({ installation_id, from, to, limit, offset }) => {
    const matching = `FROM topics CROSS JOIN ${monthAt(unixMs(to - 1)).table} AS samples USING (topic_id)
      WHERE installation_id = ? AND timestamp BETWEEN ? AND ?`
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
