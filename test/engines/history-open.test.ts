import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { historyEngineAt, openHistory } from '../../src/history/open.ts'
import { WorkerLane } from '../../src/history/sqlite/worker-lane.ts'

async function newDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'history-open-'))
  t.after(() => rm(dataDir, { recursive: true }))
  return dataDir
}

test('openHistory opens SQLite unless a server is named', async (t) => {
  const history = await openHistory({ url: '', dataDir: await newDataDir(t) })
  await history.close()
  assert.equal(historyEngineAt(''), 'sqlite')
  assert.equal(historyEngineAt('http://127.0.0.1:1/db'), 'clickhouse')
})

test('openHistory refuses a server if there are embedded data', async (t) => {
  const dataDir = await newDataDir(t)
  await mkdir(join(dataDir, 'history/sqlite'), { recursive: true })
  await writeFile(join(dataDir, 'history/sqlite/anything'), '')
  const opening = openHistory({ url: 'http://127.0.0.1:1/db', dataDir })
  await assert.rejects(
    opening,
    /sqlite holds history of SQLite; .*migrate-to.* start with an empty ClickHouse/
  )
})

test('openHistory rejects if the server does not answer', async (t) => {
  const dataDir = await newDataDir(t)
  const nobody = openHistory({ url: 'http://127.0.0.1:1/db', dataDir })
  await assert.rejects(
    nobody,
    /^Error: CARACAL_HISTORY_URL: 127\.0\.0\.1:1: ClickHouse cannot be reached/
  )
})

test('openHistory rejects if SQLite cannot be opened, and leaves no thread', async (t) => {
  const dataDir = await newDataDir(t)
  await mkdir(join(dataDir, 'history/sqlite/history.sqlite'), { recursive: true })
  await assert.rejects(openHistory({ url: '', dataDir }), /the history cannot be opened: /)
})

test('a call after close is refused', async (t) => {
  const history = await openHistory({ url: '', dataDir: await newDataDir(t) })
  await history.close()
  await assert.rejects(history.erase(1), /closed/)
})

type Thread = { answer(): string; die(): void; close(): void }

test('when the thread dies, running, waiting and later calls reject', async () => {
  const source = `
    import { parentPort } from 'node:worker_threads'
    import { answerCalls } from '${new URL('../../src/lib/thread-calls.ts', import.meta.url)}'
    answerCalls(parentPort, {
      answer: () => 'answer',
      die: () => new Promise(() => setImmediate(() => { throw new Error('out of luck') })),
      close() {}
    })`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
  const lane = new WorkerLane<Thread>(worker)
  await lane.ready()
  assert.equal(await lane.call('answer', []), 'answer')
  const [running, waiting] = [lane.call('die', []), lane.call('answer', [])]
  await assert.rejects(running, { cause: new Error('out of luck') })
  await assert.rejects(waiting, /history thread has ended/)
  await assert.rejects(lane.call('answer', []), /history thread has ended/)
  await lane.close()
})
