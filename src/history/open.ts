import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Outage } from '../lib/outage.ts'
import type { BrokenFile } from './files.ts'
import type { History } from './history.ts'
import { openSqliteHistory } from './sqlite/history.ts'

export type HistoryEngine = 'sqlite' | 'clickhouse'

export type HistoryPlace = {
  /** As in HISTORY_URL: empty means SQLite in DATA_DIR, `http(s):` a ClickHouse server. */
  url: string
  dataDir: string
  clock?: Clock
  /** Told whether rows can be packed; only for SQLite. */
  outage?: Pick<Outage, 'failed' | 'worked'>
  /** Hears of each packed file that is found broken; only for SQLite. */
  onBroken?: (file: BrokenFile) => void
  /** As in HISTORY_CLUSTER and HISTORY_QUORUM; only for a server. */
  cluster?: string
  quorum?: number
}

/** The engine that a HISTORY_URL selects. */
export const historyEngineAt = (url: string): HistoryEngine =>
  url === '' ? 'sqlite' : 'clickhouse'

export async function openHistory(at: HistoryPlace): Promise<History> {
  const directory = join(at.dataDir, 'history/sqlite')
  if (at.url === '') {
    return openSqliteHistory(directory, { ...at, quarantine: join(at.dataDir, 'quarantine') })
  }
  const entries = await readdir(directory).catch(() => [])
  if (entries.length > 0) {
    throw new Error(
      `${directory} holds history of SQLite; copy it with "npm run caracal -- migrate-to", or move it away to start with an empty ClickHouse.`
    )
  }
  return openServer(at)
}

async function openServer({
  url,
  cluster = '',
  quorum = 0,
  clock = systemClock
}: HistoryPlace): Promise<History> {
  // Loaded only now, because most nodes keep history themselves.
  const [{ openClickhouseHistory }, { openClickhouseServer }] = await Promise.all([
    import('./clickhouse/history.ts'),
    import('./clickhouse/server.ts')
  ])
  const server = new URL(url)
  const place = { database: server.pathname.slice(1), cluster }
  const connection = await openClickhouseServer({ ...place, url: server, quorum })
  try {
    return await openClickhouseHistory(connection, place, clock)
  } catch (error) {
    await connection.close()
    throw error
  }
}
