import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isChdbInstalled, openChdb } from './chdb.ts'
import { openClickhouseHistory } from './clickhouse-history.ts'
import { openClickhouseServer } from './clickhouse-server.ts'
import type { History } from './history.ts'
import { openSqliteHistory } from './sqlite-history.ts'

export type EmbeddedEngine = 'chdb' | 'sqlite'
export type HistoryEngine = EmbeddedEngine | 'clickhouse'
export type OpenedHistory = { history: History; engine: HistoryEngine }

export type HistoryPlace = {
  url: string
  dataDir: string
  /** As in HISTORY_CLUSTER and HISTORY_QUORUM; a server's only. */
  cluster?: string
  quorum?: number
}

/**
 * `url` as in HISTORY_URL: empty keeps the engine that DATA_DIR already has, else takes chDB where its
 * library is installed and SQLite elsewhere; `chdb:` and `sqlite:` ask for one; `http(s):` is a
 * ClickHouse server.
 */
export async function openHistory(at: HistoryPlace): Promise<OpenedHistory> {
  const directory = join(at.dataDir, 'history')
  const wanted = wantedEngine(at.url)
  const found = await enginesWithData(directory)
  const other = found.find((engine) => engine !== (wanted ?? found[0]))
  if (other !== undefined) {
    const way =
      wanted === 'clickhouse' ? 'take it along with "npm run caracal -- migrate-to" or ' : ''
    throw new Error(
      `${join(directory, other)} holds history of ${other}; ${way}move it away to start with ${wanted ?? found[0]}.`
    )
  }
  if (wanted === 'clickhouse') return { engine: wanted, history: await openServer(at) }
  const installed = await isChdbInstalled()
  const engine = wanted ?? found[0] ?? (installed ? 'chdb' : 'sqlite')
  if (engine === 'sqlite') {
    return { engine, history: await openSqliteHistory(join(directory, 'sqlite')) }
  }
  if (!installed) {
    const reason =
      found.length > 0
        ? `${join(directory, 'chdb')} holds history of chDB`
        : `CARACAL_HISTORY_URL is ${at.url}`
    throw new Error(
      `${reason}, but chDB has no library installed for ${process.platform}-${process.arch}.`
    )
  }
  const connection = await openChdb(join(directory, 'chdb'))
  const place = { database: 'default', cluster: '' }
  return { engine, history: await openClickhouseHistory(connection, place) }
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

function wantedEngine(url: string): HistoryEngine | undefined {
  if (url === '') return undefined
  if (url === 'chdb:') return 'chdb'
  if (url === 'sqlite:') return 'sqlite'
  if (/^https?:\/\//.test(url)) return 'clickhouse'
  throw new Error(
    `CARACAL_HISTORY_URL cannot be ${url}: empty, http(s)://, chdb: and sqlite: are known.`
  )
}

async function enginesWithData(directory: string): Promise<EmbeddedEngine[]> {
  const found: EmbeddedEngine[] = []
  for (const engine of ['chdb', 'sqlite'] as const) {
    const entries = await readdir(join(directory, engine)).catch(() => [])
    if (entries.length > 0) found.push(engine)
  }
  return found
}
