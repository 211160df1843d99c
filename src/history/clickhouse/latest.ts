import { MAX_PAGE_BYTES, PageTooLarge } from '../../lib/page-limit.ts'
import type { Sample } from '../../lib/sample.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import { type Freshness, type Held, MAX_SHORT_MSG_CHARACTERS } from '../history.ts'
import { currentTimes } from '../newest.ts'
import { rowsOf } from './rows.ts'
import type { ServerConnection } from './server.ts'

const LATEST_ROWS_PER_PART = 10_000
const HELD_PER_PART = 500

/** Everything in the table of latest values. */
export async function* readLatest(connection: ServerConnection): AsyncGenerator<Sample[]> {
  let last: Pick<Sample, 'installation_id' | 'topic'> = { installation_id: 0, topic: '' }
  let limit = LATEST_ROWS_PER_PART
  while (true) {
    const { installation_id, topic } = last
    const lines = await connection
      .query(
        `${latestSql} WHERE (installation_id, topic) > ({installation_id:UInt64}, {topic:String})
         ORDER BY installation_id, topic
         LIMIT {limit:UInt64}`,
        { installation_id, topic, limit },
        undefined,
        MAX_PAGE_BYTES
      )
      .catch((error) => {
        // Messages are long: read fewer at once.
        if (error instanceof PageTooLarge && limit > 1) return undefined
        throw error
      })
    if (lines === undefined) {
      limit = Math.ceil(limit / 10)
      continue
    }
    const samples: Sample[] = rowsOf(lines)
    const end = samples.at(-1)
    if (end === undefined) return
    yield samples
    last = end
  }
}

export async function readLatestOf(
  connection: ServerConnection,
  installation_id: number,
  topics: readonly string[],
  now: UnixMs
): Promise<Sample[]> {
  const samples: Sample[] = rowsOf(
    await connection.query(
      `${latestSql} WHERE installation_id = {installation_id:UInt64}
         AND topic IN {topics:Array(String)}`,
      { installation_id, topics }
    )
  )
  return withoutFuture(samples, now, (asked) =>
    connection.query(currentSql('msg'), { installation_id, ...asked })
  )
}

export async function readLatestIn(
  connection: ServerConnection,
  installation_id: number,
  after: string,
  now: UnixMs
): Promise<Held[]> {
  const held: Held[] = rowsOf(
    await connection.query(
      `SELECT ${fields}, ${shortMsg} FROM latest FINAL
       WHERE installation_id = {installation_id:UInt64} AND topic > {after:String}
       ORDER BY topic LIMIT ${HELD_PER_PART}`,
      { installation_id, after }
    )
  )
  const right = await withoutFuture(held, now, (asked) =>
    connection.query(currentSql(shortMsg), { installation_id, ...asked })
  )
  return right.map((one) => ({ ...one, msg: one.msg ?? undefined }))
}

export async function readFreshness(
  connection: ServerConnection,
  installation_ids: readonly number[],
  silentSince: UnixMs
): Promise<Freshness[]> {
  const lines = await connection.query(
    `SELECT installation_id, count() AS topics, countIf(latest.timestamp < {silentSince:Int64}) AS silent,
       max(latest.timestamp) AS last
     FROM latest FINAL WHERE installation_id IN {installation_ids:Array(UInt64)}
     GROUP BY installation_id`,
    { installation_ids, silentSince }
  )
  return rowsOf(lines)
}

type Asked = { topics: readonly string[]; from: UnixMs; future: UnixMs }

/**
 * The table keeps the greatest timestamp. If that lies in the future, a device had a wrong clock: a
 * current sample is shown instead, if there is one. The order of the topics stays.
 */
async function withoutFuture<T extends Held>(
  latest: readonly T[],
  now: UnixMs,
  readCurrent: (asked: Asked) => Promise<string>
): Promise<T[]> {
  const { from, future } = currentTimes(now) as { from: UnixMs; future: UnixMs }
  const ahead = latest.filter(({ timestamp }) => timestamp > future)
  if (ahead.length === 0) return [...latest]
  const topics = ahead.map(({ topic }) => topic)
  const current: T[] = rowsOf(await readCurrent({ topics, from, future }))
  const byTopic = new Map(current.map((one) => [one.topic, one]))
  return latest.map((one) => byTopic.get(one.topic) ?? one)
}

const fields = 'id, installation_id, client_id, topic, timestamp, value'

/** The length is counted in characters, as in the other engine. */
const shortMsg = `if(lengthUTF8(msg) <= ${MAX_SHORT_MSG_CHARACTERS}, msg, NULL) AS msg`

const latestSql = `SELECT ${fields}, msg FROM latest FINAL`

const currentSql = (msg: string): string => `
  SELECT id, installation_id, client_id, topic, samples.timestamp AS timestamp, value, ${msg}
  FROM samples FINAL
  WHERE installation_id = {installation_id:UInt64} AND topic IN {topics:Array(String)}
    AND samples.timestamp BETWEEN {from:Int64} AND {future:Int64}
  ORDER BY topic, samples.timestamp DESC, id DESC LIMIT 1 BY topic`
