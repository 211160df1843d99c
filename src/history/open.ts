import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isChdbInstalled, openChdb } from './chdb.ts'
import { openClickhouseHistory } from './clickhouse-history.ts'
import type { History } from './history.ts'
import { openSqliteHistory } from './sqlite-history.ts'

export type HistoryEngine = 'chdb' | 'sqlite'
export type OpenedHistory = { history: History; engine: HistoryEngine }

/**
 * `url` as in HISTORY_URL: empty keeps the engine that DATA_DIR already has, else takes chDB where its
 * library is installed and SQLite elsewhere; `chdb:` and `sqlite:` ask for one.
 */
export async function openHistory(at: { url: string; dataDir: string }): Promise<OpenedHistory> {
  const directory = join(at.dataDir, 'history')
  const wanted = wantedEngine(at.url)
  const found = await enginesWithData(directory)
  const other = found.find((engine) => engine !== (wanted ?? found[0]))
  if (other !== undefined) {
    throw new Error(
      `${join(directory, other)} holds history of ${other}; move it away to start with ${wanted ?? found[0]}.`
    )
  }
  const installed = await isChdbInstalled()
  const engine = wanted ?? found[0] ?? (installed ? 'chdb' : 'sqlite')
  if (engine === 'sqlite') {
    return { engine, history: await openSqliteHistory(join(directory, 'sqlite')) }
  }
  if (!installed) {
    const reason = found.length > 0 ? `${join(directory, 'chdb')} holds history of chDB` : at.url
    throw new Error(
      `${reason}, but chDB has no library installed for ${process.platform}-${process.arch}.`
    )
  }
  const connection = await openChdb(join(directory, 'chdb'))
  return { engine, history: await openClickhouseHistory(connection) }
}

function wantedEngine(url: string): HistoryEngine | undefined {
  if (url === '') return undefined
  if (url === 'chdb:') return 'chdb'
  if (url === 'sqlite:') return 'sqlite'
  if (/^https?:\/\//.test(url))
    throw new Error('A ClickHouse server for history is not supported yet.')
  throw new Error(`History cannot be at ${url}: empty, chdb: and sqlite: are known.`)
}

async function enginesWithData(directory: string): Promise<HistoryEngine[]> {
  const found: HistoryEngine[] = []
  for (const engine of ['chdb', 'sqlite'] as const) {
    const entries = await readdir(join(directory, engine)).catch(() => [])
    if (entries.length > 0) found.push(engine)
  }
  return found
}
