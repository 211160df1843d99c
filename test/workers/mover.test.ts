import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Message } from '../../src/bus/bus.ts'
import { openHistory } from '../../src/history/open.ts'
import { SampleIds } from '../../src/history/sample-ids.ts'
import { Spool } from '../../src/history/spool.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Ingest } from '../../src/workers/ingest.ts'
import { Mover } from '../../src/workers/mover.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'

const MB = 1024 * 1024

/** The platform's engines, and a spool on a disk that nothing else fills. */
async function spoolOnDisk(t: TestContext, { room }: { room: number }) {
  const platform = await startTestPlatform()
  t.after(() => platform.stop())
  const { deps, world } = platform
  const { client_id, id } = await world.installation()
  await deps.directory.catchUp()
  const dir = mkdtempSync(join(tmpdir(), 'caracal-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const spool = await Spool.open(dir)
  t.after(() => spool.close())
  const sizeOf = (name: string) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0
  const disk = {
    get isEnough() {
      return sizeOf('spool.sqlite') + sizeOf('spool.sqlite-wal') < room
    },
    async whenEnough() {
      while (!this.isEnough) await wait(5)
    }
  }
  const ids = new SampleIds(0)
  const ingest = new Ingest({ ...deps, hasOwnSessions: true, spool, ids, disk })
  const hasRoom = () => disk.isEnough
  const mover = new Mover({ ...deps, spool, hasRoom })
  const topic = `${client_id}/obj/x`
  const message = (value: number): Message => ({
    topic,
    payload: Buffer.from(JSON.stringify({ value, timestamp: value, msg: 'x'.repeat(MB / 16) })),
    ...{ qos: 1, retain: false }
  })
  const accept = (value: number) => ingest.accept(message(value), 'test')
  return { accept, disk, mover, spool, latest: deps.latest, installationId: id, topic }
}

for (const room of [6 * MB, 30 * MB]) {
  test(`history comes back after the spool has filled ${room / MB} MB of disk: samples are acknowledged again`, async (t) => {
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
    assert.equal(latest.find(installationId, topic)?.value, value)
    assert((await spool.state()).samples <= 1)
  })
}

test('what failed is tried at once when space has come back, however long the pause is by then', async (t) => {
  const platform = await startTestPlatform()
  t.after(() => platform.stop())
  const { deps, dataDir } = platform
  const spool = await Spool.open(mkdtempSync(join(tmpdir(), 'caracal-')))
  t.after(() => spool.close())
  const { history: closed } = await openHistory({ url: '', dataDir: join(dataDir, 'other') })
  await closed.close()
  const parts = { ...deps, spool, history: closed, hasRoom: () => true }
  const mover = new Mover(parts)
  t.after(() => mover.stop())
  const sample = {
    ...{ id: 1, installation_id: 1, client_id: 1001, topic: '1001/obj/x' },
    ...{ timestamp: unixMs(1), value: 1, msg: '' }
  }
  await spool.append(encodeSample(sample), sample.id)
  // Each failure doubles the pause: eight of them make it half a minute.
  for (let i = 0; i < 8; i++) await assert.rejects(mover.flush(), /closed/)
  mover.start()
  parts.history = deps.history
  const begun = performance.now()
  mover.wake()
  await eventually(async () => assert.equal((await spool.state()).samples, 0))
  assert(performance.now() - begun < 20_000, 'it waited for its pause')
  await eventually(() => assert.equal(mover.failure, undefined))
})
