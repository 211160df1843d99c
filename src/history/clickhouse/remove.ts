import { randomUUID } from 'node:crypto'
import { encodeSample, type Sample } from '../../lib/sample.ts'
import type { RemovalQuery } from '../history.ts'
import { rowsOf } from './rows.ts'
import type { Params, ServerConnection } from './server.ts'
import { type ClickhousePlace, everywhere } from './tables.ts'

/**
 * A statement that changes rows is kept by the servers of a cluster, which limit its length: so
 * many topics of at most 1 KiB are well below it.
 */
const TOPICS_PER_STATEMENT = 200

type Parts = { connection: ServerConnection; place: ClickhousePlace }

/** Removes samples by marking them. Inserts go on meanwhile. */
export async function removeSamples(parts: Parts, query: RemovalQuery): Promise<number> {
  if (!query.topics) return removeSome(parts, query)
  let removed = 0
  for (const topics of inGroups(query.topics)) {
    removed += await removeSome(parts, { ...query, topics })
  }
  return removed
}

/**
 * The latest values are corrected first. If that is interrupted, the samples are still there, and
 * the same removal finds their topics again.
 */
async function removeSome(parts: Parts, query: RemovalQuery): Promise<number> {
  const { connection } = parts
  const count = `SELECT count() AS total FROM samples FINAL WHERE ${stretch(query)}`
  const { total }: { total: number } = JSON.parse(await connection.query(count, paramsOf(query)))
  if (!query.keepsLatest && total > 0) await correctAll(parts, 'samples', query)
  if (total > 0) await deleteRows(parts, 'samples', query)
  // Values whose samples were dropped before, or that arrived meanwhile.
  if (!query.keepsLatest) await correctAll(parts, 'latest', query)
  return total
}

/**
 * A server of a cluster that is down runs the statement when it is back. So it names the last id:
 * what is stored afterwards stays. Rows that are not merged yet count too, so there is no FINAL.
 */
async function deleteRows(
  { connection, place }: Parts,
  table: 'samples' | 'latest',
  query: RemovalQuery
): Promise<void> {
  const params = paramsOf(query)
  const sql = `SELECT max(id) AS last FROM ${table} WHERE ${stretch(query)}`
  const { last }: { last: number } = JSON.parse(await connection.query(sql, params))
  if (last === 0) return
  await connection.execute(
    `DELETE FROM ${everywhere(place, table)} WHERE ${stretch(query)} AND id <= {last:UInt64}`,
    { ...params, last }
  )
}

async function correctAll(
  parts: Parts,
  table: 'samples' | 'latest',
  query: RemovalQuery
): Promise<void> {
  for await (const topics of topicsWithin(parts.connection, table, query)) {
    await correctLatest(parts, query, topics)
  }
}

/** The topics with rows in the stretch, in groups. */
async function* topicsWithin(
  connection: ServerConnection,
  table: 'samples' | 'latest',
  query: RemovalQuery
): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const lines = await connection.query(
      `SELECT DISTINCT topic FROM ${table} FINAL
       WHERE ${stretch(query)} AND topic > {after:String}
       ORDER BY topic LIMIT {limit:UInt64}`,
      { ...paramsOf(query), after, limit: TOPICS_PER_STATEMENT }
    )
    const found: { topic: string }[] = rowsOf(lines)
    const last = found.at(-1)
    if (!last) return
    yield found.map(({ topic }) => topic)
    after = last.topic
  }
}

/**
 * Puts the newest sample outside the stretch in place of a latest value that is in it or missing.
 * Samples are read after the old value is deleted: a sample that arrives meanwhile is found here, or
 * becomes the latest value after this.
 */
async function correctLatest(
  parts: Parts,
  { installation_id, from, to }: RemovalQuery,
  topics: readonly string[]
): Promise<void> {
  const { connection } = parts
  const chosen = { installation_id, topics, from, to }
  const outside: { topic: string }[] = rowsOf(await connection.query(latestOutsideSql, chosen))
  const right = new Set(outside.map(({ topic }) => topic))
  const wrong = { ...chosen, topics: topics.filter((topic) => !right.has(topic)) }
  // Of the others too: rows that a newer one hides, and that are not merged yet, must not come back.
  await deleteRows(parts, 'latest', chosen)
  if (wrong.topics.length === 0) return
  const newest: { at: number }[] = rowsOf(await connection.query(newestSql, wrong))
  if (newest.length === 0) return
  const moments = [...new Set(newest.map(({ at }) => at))]
  const rows: Sample[] = rowsOf(await connection.query(samplesSql, { ...wrong, moments }))
  const text = rows.map(encodeSample).join('')
  await connection.insert('latest', Buffer.from(text), randomUUID())
}

const latestOutsideSql = `
  SELECT topic FROM latest FINAL
  WHERE installation_id = {installation_id:UInt64} AND topic IN {topics:Array(String)}
    AND (latest.timestamp < {from:Int64} OR latest.timestamp > {to:Int64})`

const OUTSIDE = `installation_id = {installation_id:UInt64} AND topic IN {topics:Array(String)}
    AND (samples.timestamp < {from:Int64} OR samples.timestamp > {to:Int64})`

/** Rows that replace each other have the same timestamp, so FINAL is not needed. */
const newestSql = `
  SELECT topic, max(samples.timestamp) AS at FROM samples WHERE ${OUTSIDE} GROUP BY topic`

/** `moments` are the newest of all topics. Of each topic the first row is its newest sample. */
const samplesSql = `
  SELECT id, installation_id, client_id, topic, samples.timestamp AS timestamp, value, msg
  FROM samples FINAL
  WHERE ${OUTSIDE} AND samples.timestamp IN {moments:Array(Int64)}
  ORDER BY topic, samples.timestamp DESC, id DESC LIMIT 1 BY topic`

const stretch = ({ topics }: RemovalQuery): string => `
  installation_id = {installation_id:UInt64} AND timestamp BETWEEN {from:Int64} AND {to:Int64}
  ${topics ? 'AND topic IN {topics:Array(String)}' : ''}`

const paramsOf = ({ installation_id, topics, from, to }: RemovalQuery): Params => ({
  ...{ installation_id, from, to },
  ...(topics && { topics })
})

function* inGroups(topics: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < topics.length; at += TOPICS_PER_STATEMENT) {
    yield topics.slice(at, at + TOPICS_PER_STATEMENT)
  }
}
