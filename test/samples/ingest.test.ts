import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeSamples } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Directory } from '../../src/permission/directory.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { Ingest } from '../../src/samples/ingest.ts'
import { MAX_TENANT_BYTES } from '../../src/samples/spool-room.ts'
import { startTestPlatform } from '../support/platform.ts'
import { onPostgres } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { opened, temporary } from '../support/spool.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

const MiB = 1024 * 1024
const disk = { isEnough: true, whenEnough: () => Promise.resolve() }

onPostgres('ingest', (engine) => {
  test('a message is refused as unknown only after the registry has answered', async (t) => {
    const registryUrl = await engine.url()
    const platform = await startTestPlatform({ registryUrl })
    t.after(() => platform.stop())
    const { world, deps } = platform
    const way = new URL(registryUrl)
    const proxy = new TcpProxy(Number(way.port))
    await proxy.listen()
    t.after(() => proxy.close())
    way.port = String(proxy.port)
    const registry = await openRegistry({ url: way.href, dataDir: '' })
    t.after(() => registry.destroy())
    // Another node, which learns only from the registry what is made on the platform.
    const directory = await Directory.open(registry)
    const ingest = new Ingest({ ...deps, directory, disk })
    t.after(() => ingest.stop())

    const state = { stored: 0, failed: 0 }
    const accept = (clientId: number | string, qos: 0 | 1) => {
      const payload = Buffer.from('{"value":7}')
      const message = { topic: `${clientId}/obj/x`, payload, qos, retain: false }
      return ingest.accept(message, 'test').then(
        () => state.stored++,
        () => state.failed++
      )
    }
    const refused = async () => {
      const entries = await deps.spool.ledger({ before: Number.MAX_SAFE_INTEGER, limit: 100 })
      return entries.map(({ reason, topic }) => `${reason} ${topic.split('/')[0]}`)
    }

    await accept(900_001, 1)
    assert.deepEqual(await refused(), ['unknown client id 900001'])

    await proxy.close()
    const { id, client_id } = await world.installation()
    const held = accept(client_id, 1)
    await wait(1500)
    assert.deepEqual(state, { stored: 1, failed: 0 })
    assert.deepEqual(await refused(), ['unknown client id 900001'])
    // QoS 0, an id that was unknown before, and a text that is no id do not wait for the registry.
    await Promise.all([accept(900_002, 0), accept(900_001, 1), accept('abc', 1)])
    assert.deepEqual((await refused()).map((line) => line.split(' ').at(-1)).sort(), [
      ...['900001', '900001', '900002', 'abc']
    ])
    assert.equal((await deps.latest.open(id)).size, 0)

    await proxy.listen()
    await held
    assert.equal((await deps.latest.open(id)).size, 1)
    assert.equal((await refused()).length, 4)

    await proxy.close()
    const never = accept(900_003, 1)
    await wait(300)
    ingest.stop()
    await never
    assert.equal(state.failed, 1)
    assert.equal((await refused()).length, 4)
  })
})

test(
  'the messages that wait for the disk are limited, and later ones are stored in order',
  slow,
  async (t) => {
    const platform = await startTestPlatform()
    t.after(() => platform.stop())
    const { deps, world } = platform
    const { id, client_id } = await world.installation()
    const ingest = new Ingest({ ...deps, disk })
    t.after(() => ingest.stop())
    const msg = 'x'.repeat(60 * 1024)
    const count = 1500
    const all = Array.from({ length: count }, (_, value) => {
      const payload = Buffer.from(JSON.stringify({ value, msg, timestamp: 1_700_000_000 }))
      const message = { topic: `${client_id}/obj/x`, payload, qos: 1 as const, retain: false }
      return ingest.accept(message, 'test')
    })
    assert(deps.spool.waitingBytes > MiB)
    // All of one tenant; there is room for others.
    assert(deps.spool.waitingBytes < MAX_TENANT_BYTES + MiB, `${deps.spool.waitingBytes} bytes`)
    await Promise.all(all)
    assert.equal(deps.spool.isFull, false)
    const response = await fetch(`${platform.url}/api/v2/status/${id}`, {
      headers: { authorization: `Bearer ${world.admin.token}` }
    })
    // With equal timestamps the later arrival is the latest.
    assert.equal(((await response.json()) as [{ value: number }])[0].value, count - 1)
  }
)

test(
  'a message of one tenant does not wait for the flood of another, and each tenant keeps its order',
  slow,
  async (t) => {
    const platform = await startTestPlatform()
    t.after(() => platform.stop())
    const { deps, world } = platform
    const [{ client_id: flooding }, { client_id: other }] = [
      await world.installation(),
      await world.installation()
    ]
    const ingest = new Ingest({ ...deps, disk })
    t.after(() => ingest.stop())
    const msg = 'x'.repeat(60 * 1024)
    const accept = (clientId: number, value: number, text: string) => {
      const payload = Buffer.from(JSON.stringify({ value, msg: text, timestamp: 1_700_000_000 }))
      const message = { topic: `${clientId}/obj/x`, payload, qos: 1 as const, retain: false }
      return ingest.accept(message, 'test')
    }
    const stored: number[] = []
    const flood = Array.from({ length: 1500 }, async (_, value) => {
      await accept(flooding, value, msg)
      stored.push(value)
    })
    const before: number[] = []
    for (const value of [1, 2, 3]) {
      const since = stored.length
      await accept(other, value, '')
      before.push(stored.length - since)
    }
    // Two groups: the one that is being written, and its own, which has a share for the flood.
    assert(Math.max(...before) < 150, `behind ${before.join()} messages of the flood`)
    await Promise.all(flood)
    assert.deepEqual(
      stored,
      Array.from({ length: 1500 }, (_, value) => value)
    )
  }
)

test('readings that come together are stored in one group, or none of them', async (t) => {
  const platform = await startTestPlatform({
    settings: { CARACAL_QUOTA_INSTALLATION: 'topics=5,messages_per_second=10' }
  })
  t.after(() => platform.stop())
  const { deps, world } = platform
  const { id, client_id } = await world.installation()
  // Nobody moves its groups to history.
  const dir = temporary(t)
  const spool = await opened(t, dir)
  const ingest = new Ingest({ ...deps, spool, disk })
  t.after(() => ingest.stop())
  const accept = (topics: readonly string[], messages = topics.length, value = 1) => {
    const readings = topics.map((topic, i) => {
      return { topic: `${client_id}/${topic}`, timestamp: unixMs(1000 + i), value, msg: '' }
    })
    const group = { installation_id: id, readings, messages, waitsForDisk: false }
    return ingest.acceptTogether(group)
  }
  const topicsNow = () => deps.latest.open(id).then((topics) => topics.size)
  const account = () => deps.accounts.findPlace(id)?.own

  await t.test('they are the latest values when it resolves', async () => {
    assert.equal(await accept(['obj/a', 'obj/b', 'obj/a']), undefined)
    assert.equal(await topicsNow(), 2)
    const found = (await deps.latest.open(id)).find(`${client_id}/obj/a`)
    assert.equal(found?.timestamp, 1002)
    assert.equal(await accept([]), undefined)
  })

  await t.test('a fault of one refuses all, with its place', async () => {
    const own = 'obj/c'
    assert.deepEqual(await accept([own, 'set/c']), { reason: 'forbidden topic', at: 1 })
    assert.deepEqual(await accept([own, own, `obj/${'x'.repeat(1024)}`]), {
      ...{ reason: 'topic too long', at: 2 }
    })
    await deps.registry
      .insertInto('topic_blacklist')
      .values({ topic: '+/obj/bad', mode: 'ignore', enabled: 1, reason: '', count: 0 })
      .execute()
    await deps.blacklist.reload()
    assert.deepEqual(await accept([own, 'obj/bad']), { reason: 'blacklisted', at: 1 })
    const other = { topic: `9${client_id}/obj/a`, timestamp: unixMs(0), value: 1, msg: '' }
    const group = { readings: [other], messages: 1, waitsForDisk: false }
    const strange = await ingest.acceptTogether({ ...group, installation_id: id })
    assert.equal(strange?.reason, 'forbidden topic')
    const unknown = await ingest.acceptTogether({ ...group, installation_id: id + 99 })
    assert.equal(unknown?.reason, 'unknown client id')
    assert.equal(await topicsNow(), 2)
  })

  await t.test('the quota of topics: what was charged is given back', async () => {
    const bytes = account()?.bytes
    const over = await accept(['obj/a', 'obj/t1', 'obj/t2', 'obj/t3', 'obj/t4'])
    assert.deepEqual([over?.reason, over?.at], ['too many topics', 4])
    const { topics, unsureTopics, comingTopics } = account() ?? {}
    assert.deepEqual([account()?.bytes, topics, unsureTopics, comingTopics], [bytes, 2, 0, 0])
    assert.equal(await accept(['obj/a', 'obj/t1', 'obj/t2', 'obj/t3', 'obj/t1']), undefined)
    assert.equal(await topicsNow(), 5)
    assert.equal((await accept(['obj/a', 'obj/t4']))?.reason, 'too many topics')
  })

  await t.test('the quota of messages counts what the caller says', async () => {
    const many = Array.from({ length: 500 }, () => 'obj/a')
    assert.equal(await accept(many, 1), undefined)
    assert.equal(await accept(many), undefined)
    const over = await accept(many)
    assert.deepEqual(
      [over?.reason, over?.excess?.quota],
      [...['too many messages', 'messages_per_second']]
    )
    assert((over?.excess?.account.secondsUntilMessages(500) ?? 0) > 30)
    assert.equal(await accept(many, 0), undefined)
  })

  await t.test('single messages and groups of several callers do not split a group', async () => {
    const many = Array.from({ length: 300 }, () => 'obj/b')
    const all: Promise<unknown>[] = []
    for (let value = 101; value <= 160; value++) {
      const payload = Buffer.from('{"value":0}')
      const message = { topic: `${client_id}/obj/a`, payload, qos: 1 as const, retain: false }
      all.push(accept(many, 0, value), ingest.accept(message, 'test'))
    }
    await Promise.all(all)
    const file = new DatabaseSync(join(dir, 'spool.sqlite'), { readOnly: true })
    const groups = file.prepare('select rows from groups').all()
    file.close()
    const last = groups.slice(-60).map(({ rows }) => {
      const samples = decodeSamples(Buffer.from(rows as Uint8Array))
      return Map.groupBy(samples, ({ value, topic }) => (topic.endsWith('/b') ? value : 0))
    })
    const whole = last.flatMap((values) => [...values].filter(([value]) => value > 100))
    assert.equal(whole.length, 60)
    for (const [value, samples] of whole) assert.equal(samples.length, 300, `${value} is split`)
    assert(last.length < 60, 'several calls share a group')
  })
})
