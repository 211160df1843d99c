import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { OwnRetention } from '../../src/samples/own-retention.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { store } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'

const START = Date.UTC(2026, 5, 15, 12)

onRegistryMatrix('own retention', (engine) => {
  let now = START
  // Samples of all installations stay for two years.
  const { platform } = withPlatform(engine, {
    clock: () => unixMs(now),
    settings: { CARACAL_RETENTION_DAYS: '730' }
  })
  const begin = () => {
    now = START
    const { registry, history, quotas, log } = platform().deps
    return new OwnRetention({ registry, history, quotas, log })
  }
  const setDays = async (path: string, history_days: number | null) => {
    const { world } = platform()
    const line = `PUT /api/v2/${path}/quota`
    const { status, json, text } = await world.request(line, {
      ...{ as: world.admin, body: { history_days } }
    })
    assert.equal(status, 200, text)
    return (json as { effective: { history_days: number } }).effective.history_days
  }

  /** One sample at noon of each of the last days, on one topic. */
  const filled = async (days: number, organization_id?: number) => {
    const installation = await platform().world.installation({
      ...(organization_id && { organization_id })
    })
    const samples = Array.from({ length: days }, (_, day) => ({
      ...{ topic: 'obj/a', value: day, timestamp: unixMs(START - day * DAY) }
    }))
    await store(platform(), installation, samples)
    return installation
  }
  /** The age of the oldest sample in days, and the number of samples. */
  const ageOf = async ({ id: installation_id }: { id: number }) => {
    const always = { from: unixMs(0), to: unixMs(now + DAY) }
    const page = { installation_id, topics: undefined, ...always, limit: 1, offset: 0 }
    const { oldest, total } = await platform().deps.history.readPage({ ...page, order: 'asc' })
    return [oldest && (now - oldest) / DAY, total]
  }

  test('samples older than the days of an installation go within a day; others stay', async () => {
    const retention = begin()
    const [short, other] = [await filled(100), await filled(100)]
    assert.equal(await setDays(`installation/${short.id}`, 30), 30)
    await retention.run(unixMs(now))
    const [age, total] = await ageOf(short)
    assert(age === 30 || age === 31, `${age}`)
    assert.equal(total, Number(age) + 1)
    assert.deepEqual(await ageOf(other), [99, 100])
    for (let day = 0; day < 5; day++) {
      now += DAY
      await retention.run(unixMs(now))
      assert.equal((await ageOf(short))[0], age, 'each day one day goes')
    }
  })

  test('the latest value stays, however old it is', async () => {
    const retention = begin()
    const house = await filled(3)
    await setDays(`installation/${house.id}`, 1)
    now += 50 * DAY
    await retention.run(unixMs(now))
    assert.deepEqual(await ageOf(house), [undefined, 0])
    const { history, latest } = platform().deps
    const topic = `${house.client_id}/obj/a`
    assert.equal((await latest.open(house.id)).find(topic)?.value, 0)
    assert.equal((await history.latestOf(house.id, [topic]))[0]?.value, 0)
  })

  test('the least days of installation, organizations above and platform count', async () => {
    const retention = begin()
    const { world } = platform()
    const tenant = await world.organization()
    const branch = await world.organization(tenant)
    const house = await filled(90, branch)
    const elsewhere = await filled(90)
    assert.equal(await setDays(`installation/${house.id}`, 5000), 730, 'never above the platform')
    assert.equal(await setDays(`organization/${tenant}`, 60), 60)
    assert.equal(await setDays(`organization/${branch}`, 80), 60)
    await retention.run(unixMs(now))
    const [age] = await ageOf(house)
    // Steps of two days.
    assert(Number(age) >= 60 && Number(age) <= 62, `${age}`)
    assert.deepEqual(await ageOf(elsewhere), [89, 90])
    assert.equal(await setDays(`installation/${house.id}`, 7), 7)
    await retention.run(unixMs(now))
    assert(Number((await ageOf(house))[0]) <= 8)
    assert.equal(await setDays(`organization/${tenant}`, null), 730)
    assert.equal(await setDays(`installation/${house.id}`, null), 80)
  })

  test('only installations with own days are looked at, and each once in a step', async () => {
    const retention = begin()
    const { history } = platform().deps
    const [house, other] = [await filled(10), await filled(10)]
    await setDays(`installation/${house.id}`, 300)
    const asked: number[] = []
    const original = history.remove
    history.remove = (query) => {
      asked.push(query.installation_id)
      return original.call(history, query)
    }
    try {
      await retention.run(unixMs(now))
      assert(asked.includes(house.id) && !asked.includes(other.id))
      asked.length = 0
      for (let hours = 0; hours < 10 * 24; hours += 8) {
        now += 8 * HOUR
        await retention.run(unixMs(now))
      }
    } finally {
      history.remove = original
    }
    const times = asked.filter((id) => id === house.id).length
    assert.equal(times, 1, 'a step is ten days')
  })

  test('a run that takes too long is continued by the next one', slow, async () => {
    const retention = begin()
    const house = await filled(400)
    await setDays(`installation/${house.id}`, 10)
    const { history } = platform().deps
    const original = history.remove
    let calls = 0
    history.remove = async (query) => {
      if (query.installation_id === house.id) calls++
      await new Promise((resolve) => setTimeout(resolve, 30))
      return original.call(history, query)
    }
    try {
      let runs = 0
      await eventually(async () => {
        runs++
        await retention.run(unixMs(now), 50)
        assert.equal((await ageOf(house))[1], 11)
      })
      assert(runs > 3, `${runs} runs`)
      assert(calls > 12, 'month by month')
      const [late] = await store(platform(), house, [
        { topic: 'obj/a', value: 1000, timestamp: unixMs(START - 300 * DAY) }
      ])
      now += DAY
      await retention.run(unixMs(now))
      assert(late)
      assert.equal((await ageOf(house))[1], 10, 'late samples go with the next step')
      calls = 0
      retention.stop()
      now += 100 * DAY
      await retention.run(unixMs(now))
      assert.equal(calls, 0, 'nothing is begun when the platform stops')
    } finally {
      history.remove = original
    }
  })

  test('months that are gone no longer count for the quota', async () => {
    const retention = begin()
    const { world, deps } = platform()
    const { installation, user } = await world.site(['mqtt/publish/all'])
    const lines = Array.from({ length: 90 }, (_, day) => (START - day * DAY) / 1000)
      .map((timestamp) => `${JSON.stringify({ timestamp, topic: 'obj/a', value: 1 })}\n`)
      .join('')
    await world.request(`POST /api/v3beta/log/${installation.id}/import`, {
      ...{ as: user, body: lines }
    })
    const months = async () => {
      const rows = await deps.registry
        .selectFrom('usage_months')
        .select('month')
        .where('installation_id', '=', installation.id)
        .orderBy('month')
        .execute()
      return rows.map(({ month }) => month)
    }
    await eventually(async () => assert.equal((await months()).length, 4))
    await setDays(`installation/${installation.id}`, 20)
    await retention.run(unixMs(now))
    assert.deepEqual(await months(), ['2026-05', '2026-06'])
  })

  test('days must be whole, at least one and at most 36 500', async () => {
    const { world } = platform()
    const { id } = await world.installation()
    for (const history_days of [0, -1, 1.5, 36_501, '7x', true]) {
      const { status, text } = await world.request(`PUT /api/v2/installation/${id}/quota`, {
        ...{ as: world.admin, body: { history_days } }
      })
      assert.equal(status, 400, JSON.stringify(history_days))
      assert.match(text, /history_days/)
    }
  })

  test('a tenant reads its days, and cannot set them', async () => {
    const { world } = platform()
    const grants = ['installation/list/all', 'installation/update/all', 'log/delete/all']
    const { installation, user } = await world.site(grants)
    const line = `/api/v2/installation/${installation.id}/quota`
    const body = { history_days: 3000 }
    assert.equal((await world.request(`PUT ${line}`, { as: user, body })).status, 403)
    const { json } = await world.request(`GET ${line}`, { as: user })
    const { defaults, overrides, effective } = json as Record<string, Record<string, number>>
    assert.deepEqual(
      [defaults?.['history_days'], overrides, effective?.['history_days']],
      [730, {}, 730]
    )
  })
})
