import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { HistoryEngine } from '../../src/history/open.ts'
import { ready, wayToChdb } from './clickhouse.ts'
import { withChdb } from './emulation.ts'

/**
 * How an engine can be had here: in this process or from it; `emulated`, by running the same test
 * file again in a Node for x64; or not at all, and then why.
 */
export type EngineUnderTest = {
  name: HistoryEngine
  way: 'here' | 'emulated' | { missing: string }
  /** Emulated code is some twenty times slower: fewer and smaller cases. */
  isSlow: boolean
  /** As in HISTORY_URL; on a server a database of its own. */
  url: () => Promise<string>
}

/**
 * Runs the same body on every history engine, each on a directory or database of its own. `file` is
 * the test file itself, which the emulation runs again; without it chDB is emulated as the server
 * only, which runs the same SQL.
 */
export async function onEveryHistory(
  subject: string,
  body: (engine: EngineUnderTest) => void,
  file?: string
): Promise<void> {
  for (const engine of await historyEngines()) {
    if (engine.way === 'emulated' && !file) continue
    describe(`${subject} on ${engine.name}`, () => {
      if (engine.way === 'here') {
        body(engine)
      } else if (engine.way === 'emulated') {
        test('in an emulated x64 process', () => runEmulated(fileURLToPath(file ?? '')))
      } else {
        const { missing } = engine.way
        const isRequired = process.env['CI'] === 'true'
        test('not started', { skip: !isRequired && missing }, () => assert.fail(missing))
      }
    })
  }
}

/** TEST_ENGINES=chdb marks the run inside the emulation. */
export async function historyEngines(): Promise<EngineUnderTest[]> {
  const chdb = { name: 'chdb', url: async () => 'chdb:' } as const
  if (process.env['TEST_ENGINES'] === 'chdb') return [{ ...chdb, way: 'here', isSlow: true }]
  const way = await wayToChdb()
  return [
    { name: 'sqlite', way: 'here', isSlow: false, url: async () => 'sqlite:' },
    { ...chdb, way, isSlow: false },
    { name: 'clickhouse', way: wayToServer(way), isSlow: way === 'emulated', url: newDatabase }
  ]
}

/** The front of chDB that test/run.ts started, with the database `test`; absent when there is none. */
const server = process.env['TEST_CLICKHOUSE_URL']

function wayToServer(wayToChdb: EngineUnderTest['way']): EngineUnderTest['way'] {
  if (typeof wayToChdb === 'object') return wayToChdb
  return server ? 'here' : { missing: 'test/run.ts starts the ClickHouse front' }
}

async function newDatabase(): Promise<string> {
  const url = new URL(server ?? '')
  await ready(url)
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`
  return url.href
}

/** Runs the test file again with chDB for x64; fails with the output of that run. */
async function runEmulated(testFile: string): Promise<void> {
  const { command, args, env } = await withChdb(testFile)
  const run = promisify(execFile)(command, args, {
    env: { ...env, TEST_ENGINES: 'chdb' },
    maxBuffer: 64 * 2 ** 20
  })
  await run.catch((error) => assert.fail(`${error.message}\n${error.stdout}\n${error.stderr}`))
}
