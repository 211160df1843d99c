import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { openClickhouseHistory } from './clickhouse-history.ts'
import { openClickhouseServer } from './clickhouse-server.ts'
import type { History } from './history.ts'
import { openSqliteHistory } from './sqlite-history.ts'

export type HistoryEngine = 'sqlite' | 'clickhouse'
export type OpenedHistory = { history: History; engine: HistoryEngine }

export type HistoryPlace = {
  /** As in HISTORY_URL: empty is SQLite in DATA_DIR, `http(s):` a ClickHouse server. */
  url: string
  dataDir: string
  clock?: Clock
  /** As in HISTORY_CLUSTER and HISTORY_QUORUM; a server's only. */
  cluster?: string
  quorum?: number
}

export async function openHistory(at: HistoryPlace): Promise<OpenedHistory> {
  const directory = join(at.dataDir, 'history/sqlite')
  if (at.url === '') {
    return { engine: 'sqlite', history: await openSqliteHistory(directory, at.clock) }
  }
  const entries = await readdir(directory).catch(() => [])
  if (entries.length > 0) {
    throw new Error(
      `${directory} holds history of sqlite; take it along with "npm run caracal -- migrate-to" or move it away to start with clickhouse.`
    )
  }
  return { engine: 'clickhouse', history: await openServer(at) }
}

async function openServer({ url, cluster = '', quorum = 0 }: HistoryPlace): Promise<History> {
  const server = new URL(url)
  const place = { database: server.pathname.slice(1), cluster }
  const connection = await openClickhouseServer({ ...place, url: server, quorum })
  try {
    return await openClickhouseHistory(connection, place)
  } catch (error) {
    await connection.close()
    throw error
  }
}
