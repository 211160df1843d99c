import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import type { PageQuery } from '../../src/history/history.ts'
import { copySpool, raiseLastId, readSpoolCopy } from '../../src/history/spool/copy.ts'
import { MOVER } from '../../src/history/spool/groups.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { copyHistory } from '../../src/history/sqlite/copy.ts'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Metrics } from '../../src/metrics.ts'
import { Mover } from '../../src/samples/mover.ts'
import { temporaryDirectory } from '../support/process.ts'

const log = pino({ level: 'silent' })
const COUNT = 300
const query: PageQuery = {
  ...{ installation_id: 1, topics: undefined, limit: 10_000, offset: 0 },
  order: 'asc',
  ...{ from: unixMs(0), to: unixMs(Number.MAX_SAFE_INTEGER) }
}

const sampleOf = (id: number): Sample => ({
  ...{ id, installation_id: 1, client_id: 1001, topic: `1001/obj/t${id % 3}`, msg: '' },
  ...{ timestamp: unixMs(1_700_000_000_000 + id), value: id }
})

async function openAt(directory: string) {
  const spool = await Spool.open(directory)
  const history = await openSqliteHistory(join(directory, 'history/sqlite'))
  const mover = new Mover({ spool, history, metrics: new Metrics(), hasRoom: () => true, log })
  const add = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, i) =>
        spool.append(encodeSample(sampleOf(from + i)), from + i)
      )
    )
  const close = async () => {
    await history.close()
    await spool.close()
  }
  return { spool, history, mover, add, close }
}

test('values that move to history between the two copies are there once after a restore', async () => {
  const directory = temporaryDirectory()
  const [live, copy] = [join(directory, 'live'), join(directory, 'copy')]
  mkdirSync(live)
  mkdirSync(copy)
  const platform = await openAt(live)
  await platform.add(1, 1 + COUNT / 3)
  await platform.mover.flush()
  await platform.add(1 + COUNT / 3, 1 + (2 * COUNT) / 3)
  // The borders of a batch are on disk, as when the copy comes while the batch is on its way.
  await platform.spool.take(MOVER, { maxSamples: 7, maxBytes: 1_000_000 })

  copySpool(live, copy)
  assert.equal(readSpoolCopy(join(copy, 'spool.sqlite')).samples, COUNT / 3)
  await platform.mover.flush()
  await platform.add(1 + (2 * COUNT) / 3, 1 + COUNT)
  await platform.mover.flush()
  await platform.history.packAll()
  await platform.history.hold(async () => copyHistory(live, copy))
  raiseLastId(live, copy)
  await platform.close()

  const restored = await openAt(copy)
  assert.equal((await restored.spool.state()).lastId, COUNT)
  assert.equal((await restored.history.readPage(query)).total, COUNT)
  await restored.mover.flush()
  assert.equal((await restored.history.readPage(query)).total, COUNT, 'nothing twice')
  await restored.history.packAll()
  assert.equal((await restored.history.readPage(query)).total, COUNT, 'nor after packing')
  await restored.close()
})

test('while a backup copies the parts, removals wait and new values are stored', async () => {
  const directory = temporaryDirectory()
  const { history, mover, add, close } = await openAt(directory)
  await add(1, 11)
  await mover.flush()
  const done: string[] = []
  const { promise: copied, resolve } = Promise.withResolvers<void>()
  const held = history.hold(() => copied).then(() => done.push('copies'))
  const removed = history.remove(query).then(() => done.push('removal'))
  const erased = history.erase(1).then(() => done.push('erasure'))
  await add(11, 21)
  await mover.flush()
  assert.equal((await history.readPage(query)).total, 20)
  assert.deepEqual(done, [])
  resolve()
  await Promise.all([held, removed, erased])
  assert.deepEqual(done, ['copies', 'removal', 'erasure'])
  await close()
})
