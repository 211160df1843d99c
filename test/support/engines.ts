import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe } from 'node:test'
import type { History } from '../../src/history/history.ts'
import { type HistoryPlace, openHistory } from '../../src/history/open.ts'
import type { SqliteHistory } from '../../src/history/sqlite/history.ts'
import { withoutClickhouse } from './clickhouse.ts'

export type EngineUnderTest = {
  name: 'sqlite' | 'packed sqlite' | 'clickhouse'
  /** The reason why its tests are skipped; false if they run. */
  skip: string | false
  /** As in HISTORY_URL. On a server it names a new database. */
  url: () => Promise<string>
  open: (place: HistoryPlace) => Promise<History>
}

export const historyEngines: readonly EngineUnderTest[] = [
  { name: 'sqlite', skip: false, url: async () => '', open: openHistory },
  { name: 'packed sqlite', skip: false, url: async () => '', open: openPacked },
  { name: 'clickhouse', skip: withoutClickhouse, url: newDatabase, open: openHistory }
]

/** SQLite that packs what is stored with every third batch at once, so that both forms meet. */
async function openPacked(place: HistoryPlace): Promise<History> {
  const history = (await openHistory(place)) as SqliteHistory
  const append = history.append.bind(history)
  let batches = 0
  history.append = async (...batch) => {
    await append(...batch)
    if (batches++ % 3 === 0) await history.packAll()
  }
  return history
}

/** Runs the same tests on every history engine, each with its own directory or database. */
export function onEveryHistory(subject: string, body: (engine: EngineUnderTest) => void): void {
  for (const engine of historyEngines) {
    describe(`${subject} on ${engine.name}`, { skip: engine.skip }, () => body(engine))
  }
}

/** On the front of chDB that test/run.ts started. */
export async function newDatabase(): Promise<string> {
  const server = process.env['TEST_CLICKHOUSE_URL']
  assert(server, 'no ClickHouse: test/run.ts starts it where CHDB_PREFIX names chDB')
  const url = new URL(server)
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`
  return url.href
}
