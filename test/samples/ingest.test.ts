import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Directory } from '../../src/permission/directory.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { Ingest } from '../../src/samples/ingest.ts'
import { MAX_TENANT_BYTES } from '../../src/samples/spool-room.ts'
import { startTestPlatform } from '../support/platform.ts'
import { onPostgres } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
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
    const ingest = new Ingest({ ...deps, hasOwnSessions: true, directory, disk })
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
    const ingest = new Ingest({ ...deps, hasOwnSessions: true, disk })
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
    const ingest = new Ingest({ ...deps, hasOwnSessions: true, disk })
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
