import { join } from 'node:path'
import { openChdb } from '../../src/history/chdb.ts'
import type { HistoryEngine } from '../../src/history/open.ts'
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
export type BareQuestion = { open: HistoryEngine; directory: string } | BareQuery
export type BareAnswer = { ms: number; total: number; rows: number; oldest: number }

type Ask = (query: BareQuery) => Promise<Omit<BareAnswer, 'ms'>>
let ask: Ask

/** The floor of a page: the statement anybody would write, run where the rows are wanted. */
answerWith(async (question: BareQuestion): Promise<BareAnswer> => {
  if ('open' in question) {
    const { open, directory } = question
    ask = open === 'sqlite' ? bareSqlite(directory) : await bareChdb(directory)
    return { ms: 0, total: 0, rows: 0, oldest: 0 }
  }
  const start = performance.now()
  const answer = await ask(question)
  return { ms: performance.now() - start, ...answer }
})

function bareSqlite(directory: string): Ask {
  const file = openSqliteFile(join(directory, 'sqlite'))
  return async ({ installation_id, from, to, limit, offset }) => {
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

async function bareChdb(directory: string): Promise<Ask> {
  const chdb = await openChdb(join(directory, 'chdb'))
  return async (query) => {
    const matching = `FROM samples FINAL WHERE installation_id = {installation_id:UInt64}
      AND samples.timestamp BETWEEN {from:Int64} AND {to:Int64}`
    const counted = await chdb.query(`SELECT count() AS total ${matching}`, query)
    const text = await chdb.query(
      `SELECT client_id, installation_id, samples.timestamp AS timestamp, value, msg, topic ${matching}
       ORDER BY samples.timestamp DESC, topic DESC, id DESC
       LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
      query
    )
    const lines = text.trimEnd().split('\n')
    const { timestamp: oldest }: { timestamp: number } = JSON.parse(lines.at(-1) ?? '')
    const { total }: { total: number } = JSON.parse(counted)
    return { total, rows: lines.length, oldest }
  }
}
