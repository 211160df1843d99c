import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { Latest } from '../../src/history/latest/latest.ts'
import { defaultLimits, sampleBytes } from '../../src/lib/quota.ts'
import { DAY, unixMs } from '../../src/lib/unix-time.ts'
import { Metrics } from '../../src/metrics.ts'
import { Directory } from '../../src/permission/directory.ts'
import { Accounts } from '../../src/quota/accounts.ts'
import { Bookkeeper } from '../../src/quota/bookkeeper.ts'
import { Meter } from '../../src/quota/meter.ts'
import { Quotas } from '../../src/quota/quotas.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { onPostgres, onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'

const grants = ['mqtt/publish/all']
/** A little longer than the bookkeeper's round. */
const PATIENCE_MS = 20_000

const usageOf = async ({ world }: TestPlatform, path: string) => {
  const { json } = await world.request(`GET /api/v2/${path}/usage`, { as: world.admin })
  const { history_bytes, history_bytes_per_day } = json as Record<string, { used: number }>
  return [history_bytes?.used, history_bytes_per_day?.used]
}

onRegistryMatrix('bookkeeper', (engine) => {
  const now = unixMs(Date.UTC(2026, 5, 15, 12))
  const CARACAL_DATA_DIR = temporaryDirectory()
  let registryUrl: string | undefined
  let organization = ''
  let installation = ''
  const seconds = (at: number) => at / 1000

  const start = async (t: TestContext, settings = {}) => {
    registryUrl ??= await engine.url()
    const platform = await startTestPlatform({
      ...{ registryUrl, clock: () => now, settings: { CARACAL_DATA_DIR, ...settings } }
    })
    t.after(() => platform.stop())
    return platform
  }
  const bytes = sampleBytes('1001/obj/x', '')

  test('the used amounts are known again after the next start', async (t) => {
    const platform = await start(t)
    const { installation: house, user } = await platform.world.site(grants)
    assert.equal(house.client_id, 1001)
    installation = `installation/${house.id}`
    organization = `organization/${house.organization_id}`
    for (const month of [Date.UTC(2026, 2, 3), Date.UTC(2026, 4, 3), now]) {
      const payload = { value: 1, timestamp: seconds(month) }
      await platform.world.publish(user, `${house.client_id}/obj/x`, payload)
    }
    assert.deepEqual(await usageOf(platform, installation), [3 * bytes, 3 * bytes])
    await platform.stop()
    const again = await start(t)
    assert.deepEqual(await usageOf(again, installation), [3 * bytes, 3 * bytes])
    assert.deepEqual(await usageOf(again, organization), [3 * bytes, 3 * bytes])
    const { registry } = again.deps
    const months = await registry
      .selectFrom('usage_months')
      .select(['month', 'bytes'])
      .orderBy('month')
      .execute()
    assert.deepEqual(
      months.map(({ month, bytes }) => [month, bytes]),
      ['2026-03', '2026-05', '2026-06'].map((month) => [month, bytes])
    )
  })

  test('a history from before quotas is counted once', slow, async (t) => {
    const platform = await start(t)
    const { registry } = platform.deps
    await platform.stop()
    await assert.rejects(registry.selectFrom('usage').selectAll().execute())
    const before = await openRegistry({ url: registryUrl ?? '', dataDir: CARACAL_DATA_DIR })
    await before.deleteFrom('usage').execute()
    await before.deleteFrom('usage_months').execute()
    await before.updateTable('platform').set({ has_usage: 0 }).execute()
    await before.destroy()
    const again = await start(t)
    await eventually(async () => {
      assert.deepEqual(await usageOf(again, organization), [3 * bytes, 0])
    }, PATIENCE_MS)
    const lines = again.logged.filter(({ msg }) => msg === 'the bytes of history are counted')
    assert.deepEqual(
      lines.map(({ months }) => months),
      [3]
    )
    await again.stop()
    const third = await start(t)
    assert.deepEqual(await usageOf(third, organization), [3 * bytes, 0])
    assert(!third.logged.some(({ msg }) => msg === 'the bytes of history are counted'))
  })

  test('months that retention drops no longer count', slow, async (t) => {
    const platform = await start(t, { CARACAL_RETENTION_DAYS: '50' })
    await eventually(async () => {
      assert.deepEqual((await usageOf(platform, organization))[0], 2 * bytes)
    }, PATIENCE_MS)
    const rows = await platform.deps.registry.selectFrom('usage_months').select('month').execute()
    assert.deepEqual(rows.map(({ month }) => month).sort(), ['2026-05', '2026-06'])
  })

  test('nothing is left of a deleted installation', slow, async (t) => {
    const platform = await start(t)
    const { world, deps } = platform
    const { status } = await world.request(`DELETE /api/v2/${installation}`, { as: world.admin })
    assert.equal(status, 200)
    assert.deepEqual(await usageOf(platform, organization), [0, 0])
    const kinds = await deps.registry.selectFrom('usage').select('kind').execute()
    assert(!kinds.some(({ kind }) => kind === 'installation'))
    assert.deepEqual(await deps.registry.selectFrom('usage_months').selectAll().execute(), [])
  })
})

onPostgres('bookkeeper', (engine) => {
  test('the amounts of two nodes add up on both, and a quota applies on both', slow, async (t) => {
    let now = unixMs(Date.UTC(2026, 5, 15, 12))
    const registryUrl = await engine.url()
    const platform = await startTestPlatform({ registryUrl, clock: () => now })
    t.after(() => platform.stop())
    const { world, deps } = platform
    const { installation: house, user } = await world.site(grants)
    const registry = await openRegistry({ url: registryUrl, dataDir: '' })
    t.after(() => registry.destroy())
    const directory = await Directory.open(registry)
    const defaults = defaultLimits({ installation: '', organization: '' }, {})
    const quotas = await Quotas.open({ registry, directory, defaults })
    const clock = () => now
    const { history } = deps
    const latest = new Latest({ history, clock, isShared: true, maxBytes: 1e6 })
    const settled = async () => {}
    const accounts = new Accounts({ quotas, directory, latest, settled, clock })
    const log = pino({ level: 'silent' })
    const meter = new Meter({ accounts, latest, settled, metrics: new Metrics(), clock, log })
    const claims = {
      ...{ take: async () => true, release: async () => {}, keep: async () => true },
      ...{ nodes: async () => 2, setReading: async () => {}, readers: async () => 2 },
      ...{ onChange: () => {}, failure: undefined, close: async () => {} }
    }
    const hasRoom = () => true
    const other = await Bookkeeper.open({
      ...{ registry, history, accounts, meter, claims, hasRoom, clock, log }
    })
    const takeThere = (bytes: number) => {
      const place = accounts.findPlace(house.id)
      assert(place)
      return meter.takeSample(place, { topic: 'x', timestamp: now, bytes }, now)?.reason
    }
    const organization = `organization/${house.organization_id}`
    const own = sampleBytes(`${house.client_id}/obj/x`, '')

    assert.equal(takeThere(1000), undefined)
    await other.flush(10)
    await world.publish(user, `${house.client_id}/obj/x`, { value: 1 })
    await eventually(async () => {
      assert.deepEqual(await usageOf(platform, organization), [1000 + own, 1000 + own])
    }, PATIENCE_MS)
    await eventually(async () => {
      await other.flush(10)
      assert.equal(accounts.findPlace(house.id)?.own.bytes, 1000 + own)
    }, PATIENCE_MS)
    assert.equal(quotas.limit('installation', house.id, 'history_bytes'), 256 * 2 ** 30)
    await world.request(`PUT /api/v2/installation/${house.id}/quota`, {
      ...{ as: world.admin, body: { history_bytes: 1000 + own + 10 } }
    })
    await directory.catchUp()
    assert.equal(takeThere(11), 'too much history')
    assert.equal(takeThere(10), undefined)

    // The amount of a day that is over on one node is not counted for the next day.
    now = unixMs(now + DAY)
    await world.request(`PUT /api/v2/installation/${house.id}/quota`, {
      ...{ as: world.admin, body: {} }
    })
    await world.publish(user, `${house.client_id}/obj/x`, { value: 2 })
    await eventually(async () => {
      await other.flush(10)
      assert.deepEqual(await usageOf(platform, organization), [1010 + 2 * own, own])
    }, PATIENCE_MS)

    // Messages of one node fill the minute of the other one too.
    await world.request(`PUT /api/v2/installation/${house.id}/quota`, {
      ...{ as: world.admin, body: { messages_per_second: 1 } }
    })
    await directory.catchUp()
    const place = accounts.findPlace(house.id)
    assert(place)
    const takeMessages = (count: number) => {
      let taken = 0
      while (taken < count && !meter.takeMessages(place, now)) taken++
      return taken
    }
    assert.equal(takeMessages(40), 40)
    await other.flush(10)
    const used = async () => {
      const { json } = await world.request(`GET /api/v2/installation/${house.id}/usage`, {
        as: world.admin
      })
      return (json as { messages_per_second: { used: number } }).messages_per_second.used
    }
    await eventually(async () => assert.equal(await used(), 0.68), PATIENCE_MS)
    for (let i = 0; i < 30; i++)
      await world.publish(user, `${house.client_id}/obj/x`, { value: i, timestamp: i })
    const { json: ledger } = await world.request('GET /api/v2/ledger?limit=100', {
      as: world.admin
    })
    assert.match(JSON.stringify(ledger), /too many messages/)
    await eventually(async () => {
      await other.flush(10)
      assert.equal(takeMessages(40), 0)
    }, PATIENCE_MS)
  })
})
