import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { isChdbInstalled } from '../../src/history/chdb.ts'
import { openHistory } from '../../src/history/open.ts'
import { WorkerLane } from '../../src/history/worker-lane.ts'

async function newDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'history-open-'))
  t.after(() => rm(dataDir, { recursive: true }))
  return dataDir
}

async function withDataOf(dataDir: string, engine: string) {
  await mkdir(join(dataDir, 'history', engine), { recursive: true })
  await writeFile(join(dataDir, 'history', engine, 'anything'), '')
}

test('openHistory, data of SQLite are kept in use', async (t) => {
  const dataDir = await newDataDir(t)
  await (await openHistory({ url: 'sqlite:', dataDir })).history.close()
  const { engine, history } = await openHistory({ url: '', dataDir })
  await history.close()
  assert.equal(engine, 'sqlite')
  await assert.rejects(openHistory({ url: 'chdb:', dataDir }), /holds history of sqlite/)
})

test('openHistory, no second engine beside data of chDB', async (t) => {
  const dataDir = await newDataDir(t)
  await withDataOf(dataDir, 'chdb')
  await assert.rejects(openHistory({ url: 'sqlite:', dataDir }), /holds history of chdb/)
  await t.test('without its library', { skip: await isChdbInstalled() }, async () => {
    await assert.rejects(openHistory({ url: '', dataDir }), /chDB has no library installed/)
  })
  await withDataOf(dataDir, 'sqlite')
  await assert.rejects(openHistory({ url: '', dataDir }), /holds history of sqlite/)
})

test('openHistory, no server beside data of an embedded engine', async (t) => {
  const dataDir = await newDataDir(t)
  await withDataOf(dataDir, 'sqlite')
  const opening = openHistory({ url: 'http://127.0.0.1:1/db', dataDir })
  await assert.rejects(
    opening,
    /sqlite holds history of sqlite; .*migrate-to.* start with clickhouse/
  )
})

test('openHistory, unknown places', async (t) => {
  const dataDir = await newDataDir(t)
  const nobody = openHistory({ url: 'http://127.0.0.1:1/db', dataDir })
  await assert.rejects(
    nobody,
    /^Error: CARACAL_HISTORY_URL: 127\.0\.0\.1:1: ClickHouse cannot be reached/
  )
  await assert.rejects(
    openHistory({ url: 'file:x', dataDir }),
    /CARACAL_HISTORY_URL cannot be file:x/
  )
})

test('openHistory, SQLite that cannot be opened rejects and leaves no thread', async (t) => {
  const dataDir = await newDataDir(t)
  await mkdir(join(dataDir, 'history/sqlite/history.sqlite'), { recursive: true })
  await assert.rejects(openHistory({ url: '', dataDir }), /history thread has ended/)
})

test('a call after close is refused', async (t) => {
  const { history } = await openHistory({ url: 'sqlite:', dataDir: await newDataDir(t) })
  await history.close()
  await assert.rejects(history.erase(1), /closed/)
})

type Thread = { answer(): string; die(): void; close(): void }

test('a thread that dies rejects what runs, what waits and what comes later', async () => {
  const source = `
    import { parentPort } from 'node:worker_threads'
    parentPort.postMessage({ answer: undefined })
    parentPort.on('message', ({ method }) => {
      if (method === 'die') throw new Error('out of luck')
      parentPort.postMessage({ answer: method })
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
