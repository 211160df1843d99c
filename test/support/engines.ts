import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe } from 'node:test'
import type { HistoryEngine } from '../../src/history/open.ts'
import { withoutClickhouse } from './clickhouse.ts'

export type EngineUnderTest = {
  name: HistoryEngine
  /** Why its tests are left out; false where they run. */
  skip: string | false
  /** As in HISTORY_URL; on a server a database of its own. */
  url: () => Promise<string>
}

export const historyEngines: readonly EngineUnderTest[] = [
  { name: 'sqlite', skip: false, url: async () => '' },
  { name: 'clickhouse', skip: withoutClickhouse, url: newDatabase }
]

/** Runs the same body on every history engine, each on a directory or database of its own. */
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
