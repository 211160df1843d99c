import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Message } from '../../src/bus/bus.ts'
import { openHistory } from '../../src/history/open.ts'
import { SampleIds } from '../../src/history/sample-ids.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Ingest } from '../../src/samples/ingest.ts'
import { MAX_HELD_BYTES, MAX_HELD_BYTES_WITHOUT_ROOM, Mover } from '../../src/samples/mover.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'
import { fill, from, MB, opened, sizeOf, temporary } from '../support/spool.ts'

/** The engines of the platform, and a spool on a small disk that nothing else uses. */
async function spoolOnDisk(t: TestContext, { room }: { room: number }) {
  const platform = await startTestPlatform()
  t.after(() => platform.stop())
  const { deps, world } = platform
  const { client_id, id } = await world.installation()
  await deps.directory.catchUp()
  const dir = temporary(t)
  const spool = await opened(t, dir)
  const disk = {
    get isEnough() {
      return sizeOf(dir) < room
    },
    async whenEnough() {
      while (!this.isEnough) await wait(5)
    }
  }
  const ids = new SampleIds(0)
  const ingest = new Ingest({ ...deps, spool, ids, disk })
  const hasRoom = () => disk.isEnough
  const parts = { ...deps, spool, hasRoom }
  const mover = new Mover(parts)
  const topic = `${client_id}/obj/x`
  const message = (value: number): Message => ({
    topic,
    payload: Buffer.from(JSON.stringify({ value, timestamp: value, msg: 'x'.repeat(MB / 16) })),
    ...{ qos: 1, retain: false }
  })
  const accept = (value: number) => ingest.accept(message(value), 'test')
  /** What the log says of readers that have missed samples. */
  const told = () =>
    platform.logged
      .filter(({ msg }) => /^a reader of the spool is too far behind/.test(String(msg)))
      .map(({ reader, samples }) => [reader, samples])
  const own = { latest: deps.latest, installationId: id, topic }
  return { accept, disk, mover, parts, spool, told, ...own }
}

const readerOf = async (spool: Spool, reader: string) =>
  (await spool.state()).readers.find(({ name }) => name === reader)

for (const room of [6 * MB, 30 * MB]) {
  test(
    `samples are acknowledged again when history is back after the spool has filled ${room / MB} MB of disk`,
    slow,
    async (t) => {
      const { accept, disk, mover, spool, latest, installationId, topic } = await spoolOnDisk(t, {
        room
      })
      let value = 0
      while (disk.isEnough) await accept(++value)
      let isAcknowledged = false
      const held = accept(++value).then(() => {
        isAcknowledged = true
      })
      await wait(50)
      assert.equal(isAcknowledged, false)
      await mover.flush()
      await Promise.race([held, wait(5000)])
      assert.equal(isAcknowledged, true)
      assert.equal(disk.isEnough, true)
      assert.equal((await latest.open(installationId)).find(topic)?.value, value)
      assert((await spool.state()).samples <= 1)
    }
  )
}

for (const isAway of [false, true]) {
  test(
    `a stopped reader does not keep samples from being acknowledged, history is ${isAway ? 'away' : 'there'}`,
    slow,
    async (t) => {
      const { accept, disk, mover, parts, spool, told } = await spoolOnDisk(t, { room: 48 * MB })
      await spool.register('stopped')
      let value = 0
      while ((await spool.state()).bytes < 20 * MB) await accept(++value)
      await mover.flush()
      const moved = value
      assert.equal((await readerOf(spool, 'stopped'))?.samples, moved)
      const closed = await openHistory({ url: '', dataDir: temporary(t) })
      await closed.close()
      if (isAway) parts.history = closed
      while (disk.isEnough) await accept(++value)
      assert.deepEqual(told(), [])
      const held = accept(++value)
      if (isAway) await assert.rejects(mover.flush(), /closed/)
      else await mover.flush()
      await Promise.race([held, wait(5000).then(() => assert.fail('it is not acknowledged'))])
      const missed = isAway ? moved : value - 1
      assert.deepEqual(told(), [['stopped', missed]])
      assert.equal((await readerOf(spool, 'stopped'))?.missed, missed)
    }
  )
}

test('a reader that is a little behind misses nothing when the disk is full', slow, async (t) => {
  const { mover, spool, told } = await spoolOnDisk(t, { room: 4 * MB })
  await spool.register('behind')
  const samples = MAX_HELD_BYTES_WITHOUT_ROOM / MB - 1
  await fill(spool, from(1, samples))
  await mover.flush()
  assert.deepEqual(told(), [])
  assert.equal((await readerOf(spool, 'behind'))?.samples, samples)
})

test('the spool keeps 256 MiB for a reader that has stopped, and not more', slow, async (t) => {
  const { mover, spool, told } = await spoolOnDisk(t, { room: 1024 * MB })
  await spool.register('stopped')
  const samples = MAX_HELD_BYTES / MB
  await fill(spool, from(1, samples - 1))
  await mover.flush()
  assert.deepEqual(told(), [])
  assert.equal((await readerOf(spool, 'stopped'))?.samples, samples - 1)
  await fill(spool, [samples])
  await mover.flush()
  assert.deepEqual(told(), [['stopped', samples]])
  const { bytes, missed } = (await readerOf(spool, 'stopped')) ?? {}
  assert.deepEqual([bytes, missed], [0, samples])
  await fill(spool, [samples + 1])
  await mover.flush()
  assert.equal((await readerOf(spool, 'stopped'))?.samples, 1)
})

test('a failed move is tried again as soon as there is space, however long the pause is', async (t) => {
  const platform = await startTestPlatform()
  t.after(() => platform.stop())
  const { deps, dataDir } = platform
  const spool = await Spool.open(mkdtempSync(join(tmpdir(), 'caracal-')))
  t.after(() => spool.close())
  const closed = await openHistory({ url: '', dataDir: join(dataDir, 'other') })
  await closed.close()
  const parts = { ...deps, spool, history: closed, hasRoom: () => true }
  const mover = new Mover(parts)
  t.after(() => mover.stop())
  const sample = {
    ...{ id: 1, installation_id: 1, client_id: 1001, topic: '1001/obj/x' },
    ...{ timestamp: unixMs(1), value: 1, msg: '' }
  }
  await spool.append(encodeSample(sample), sample.id)
  // Each failure doubles the pause, so after eight of them it is half a minute.
  for (let i = 0; i < 8; i++) await assert.rejects(mover.flush(), /closed/)
  mover.start()
  parts.history = deps.history
  const begun = performance.now()
  mover.wake()
  await eventually(async () => assert.equal((await spool.state()).samples, 0))
  assert(performance.now() - begun < 20_000, 'it waited for its pause')
  await eventually(() => assert.equal(mover.failure, undefined))
})
