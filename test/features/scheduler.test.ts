import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scheduler } from '../../src/features/schedule/scheduler.ts'
import { SampleIds } from '../../src/history/sample-ids.ts'
import { HOUR, MINUTE, SECOND, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { DiskSpace } from '../../src/platform/disk-space.ts'
import { Ingest } from '../../src/samples/ingest.ts'
import { eventually } from '../support/eventually.ts'
import type { TestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { statusText } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

/** A minute of a future day, so that the scheduler of the platform does not run these schedules. */
const noon = unixMs(Math.ceil(Date.now() / HOUR) * HOUR + 48 * HOUR)

type Run = { planned: number; outcome: string }

/** A separate scheduler on the engines of the platform, with a clock that the test sets. */
function schedulerOf({ deps, dataDir }: TestPlatform, now: UnixMs, leads = () => true) {
  const time = { now, elapsed: 0 }
  const clock = () => time.now
  const disk = new DiskSpace({ path: dataDir, reserve: 1, log: deps.log })
  const open = () => {
    const ingest = new Ingest({
      ...deps,
      ids: new SampleIds(now * 1000),
      disk,
      clock
    })
    const elapsed = () => time.elapsed
    const claims = { take: () => Promise.resolve(leads()) }
    return new Scheduler({ ...deps, claims, ingest, clock, elapsed })
  }
  let scheduler = open()
  return {
    /** Moves both clocks forward. */
    pass: (ms: number) => {
      time.now = unixMs(time.now + ms)
      time.elapsed += ms
    },
    /** Moves only the clock of the system. */
    step: (ms: number) => {
      time.now = unixMs(time.now + ms)
    },
    restart: () => {
      scheduler = open()
    },
    tick: () => scheduler.tick()
  }
}

onRegistryMatrix('scheduler', (engine) => {
  const { platform } = withPlatform(engine)

  async function makeSchedule(world: World, body: object = {}, next: UnixMs = noon) {
    const installation = await world.installation()
    const wanted = { topic: 'set/lamp', value: 1, executor: 'server', ...body }
    const base = `/api/v2/schedule/${installation.id}`
    await world.request(`POST ${base}?silent=true`, { as: world.admin, body: wanted })
    const { json } = await world.request(`GET ${base}`, { as: world.admin })
    const [{ id } = { id: 0 }] = json as { id: number }[]
    await platform()
      .deps.registry.updateTable('schedules')
      .set({ next_run: next })
      .where('id', '=', id)
      .execute()
    const runs = async () => {
      const answer = await world.request(`GET ${base}/${id}/runs`, { as: world.admin })
      return (answer.json as Run[]).map((run) => [run.planned * 1000 - noon, run.outcome])
    }
    return { installation, id, runs, topic: `${installation.client_id}/set/lamp` }
  }
  const nothing = async () => {
    await platform().deps.registry.deleteFrom('schedules').execute()
  }

  test('publishes the value at its time, once, and stores the run', async () => {
    await nothing()
    const { world } = platform()
    const { installation, runs, topic } = await makeSchedule(world, { value: 21.5 })
    const listener = await world.mqtt(world.admin)
    await listener.subscribe(`${installation.client_id}/#`)
    const scheduler = schedulerOf(platform(), unixMs(noon - SECOND))
    await scheduler.tick()
    assert.deepEqual(await runs(), [])
    scheduler.pass(2 * SECOND)
    await scheduler.tick()
    await scheduler.tick()
    await eventually(() => assert.equal(listener.messages.length, 1))
    const [message] = listener.messages
    assert.equal(message?.topic, topic)
    assert.deepEqual(JSON.parse(String(message?.payload)), {
      value: 21.5,
      timestamp: noon / 1000,
      msg: ''
    })
    assert.deepEqual(await runs(), [[0, 'published']])
  })

  test('a value on an object topic is stored like any other', async () => {
    await nothing()
    const { world, deps } = platform()
    const { installation } = await makeSchedule(world, { topic: 'obj/setpoint', value: 19 })
    await schedulerOf(platform(), noon).tick()
    assert.match(await statusText(deps, installation.id), /"value":19,.*obj\/setpoint/)
  })

  test('a topic with the client id is published unchanged', async () => {
    await nothing()
    const { world } = platform()
    const { installation, id } = await makeSchedule(world)
    const topic = `${installation.client_id}/set/fan`
    await platform()
      .deps.registry.updateTable('schedules')
      .set({ topic })
      .where('id', '=', id)
      .execute()
    const scheduler = schedulerOf(platform(), noon)
    assert.deepEqual(await world.published(() => scheduler.tick()), [topic])
  })

  const executors: [executor: string, capabilities: string[], runs: boolean][] = [
    ['server', [], true],
    ['server', ['schedule'], true],
    ['gateway', [], true],
    ['gateway', ['zwave'], true],
    ['gateway', ['schedule'], false],
    ['edge_client', [], false]
  ]
  for (const [executor, capabilities, isRun] of executors) {
    test(`${executor} beside a gateway with [${capabilities}]: ${isRun ? 'runs' : 'does not run'}`, async () => {
      await nothing()
      const { world, deps } = platform()
      const { installation, runs, topic } = await makeSchedule(world, { executor })
      await deps.registry
        .updateTable('installations')
        .set({ capabilities: JSON.stringify(capabilities) })
        .where('id', '=', installation.id)
        .execute()
      const scheduler = schedulerOf(platform(), noon)
      assert.deepEqual(await world.published(() => scheduler.tick()), isRun ? [topic] : [])
      assert.deepEqual(await runs(), isRun ? [[0, 'published']] : [])
    })
  }

  test('a schedule that is inactive, deleted or of a deleted installation does not run', async () => {
    await nothing()
    const { world, deps } = platform()
    const sleeping = await makeSchedule(world)
    const path = `/api/v2/schedule/${sleeping.installation.id}/${sleeping.id}?silent=true`
    const body = { topic: 'x', value: 1, active: false, executor: 'server' }
    await world.request(`PUT ${path}`, { as: world.admin, body })
    const deleted = await makeSchedule(world)
    await world.request(
      `DELETE /api/v2/schedule/${deleted.installation.id}/${deleted.id}?silent=true`,
      { as: world.admin }
    )
    const gone = await makeSchedule(world)
    await world.request(`DELETE /api/v2/installation/${gone.installation.id}?silent=true`, {
      as: world.admin
    })
    const scheduler = schedulerOf(platform(), unixMs(noon + SECOND))
    assert.deepEqual(await world.published(() => scheduler.tick()), [])
    const left = await deps.registry.selectFrom('schedules').select('id').execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      [sleeping.id]
    )
  })

  test('a restart within a minute loses nothing and repeats nothing', async () => {
    await nothing()
    const { world } = platform()
    const { runs } = await makeSchedule(world)
    const scheduler = schedulerOf(platform(), unixMs(noon - SECOND))
    await scheduler.tick()
    scheduler.pass(50 * SECOND)
    scheduler.restart()
    await scheduler.tick()
    assert.deepEqual(await runs(), [[0, 'published']])
    scheduler.restart()
    await scheduler.tick()
    assert.deepEqual(await runs(), [[0, 'published']])
  })

  test('after a longer stop, missed runs are skipped and logged, and later ones run', async () => {
    await nothing()
    const { world, logged } = platform()
    const { id, runs } = await makeSchedule(world)
    const scheduler = schedulerOf(platform(), unixMs(noon + 10 * MINUTE + SECOND))
    await scheduler.tick()
    assert.deepEqual(await runs(), [
      [10 * MINUTE, 'published'],
      [0, 'skipped']
    ])
    const lines = logged.filter(({ msg, schedule }) => msg === 'runs skipped' && schedule === id)
    assert.equal(lines.length, 1)
  })

  test('a process that was frozen for long skips runs as after a stop', async () => {
    await nothing()
    const { world } = platform()
    const { runs } = await makeSchedule(world, {}, unixMs(noon + MINUTE))
    const scheduler = schedulerOf(platform(), noon)
    await scheduler.tick()
    scheduler.pass(5 * MINUTE)
    await scheduler.tick()
    assert.deepEqual(await runs(), [
      [5 * MINUTE, 'published'],
      [4 * MINUTE, 'published'],
      [MINUTE, 'skipped']
    ])
  })

  test('a clock that jumps forward loses no run', async () => {
    await nothing()
    const { world } = platform()
    const { runs } = await makeSchedule(world, {}, unixMs(noon + MINUTE))
    const scheduler = schedulerOf(platform(), noon)
    await scheduler.tick()
    scheduler.step(3 * MINUTE)
    await scheduler.tick()
    assert.deepEqual(await runs(), [
      [3 * MINUTE, 'published'],
      [2 * MINUTE, 'published'],
      [MINUTE, 'published']
    ])
  })

  test('a clock that jumps back repeats no run', async () => {
    await nothing()
    const { world } = platform()
    const { runs } = await makeSchedule(world)
    const scheduler = schedulerOf(platform(), unixMs(noon + SECOND))
    await scheduler.tick()
    scheduler.step(-2 * MINUTE)
    await scheduler.tick()
    scheduler.pass(90 * SECOND)
    await scheduler.tick()
    assert.deepEqual(await runs(), [[0, 'published']])
    scheduler.pass(95 * SECOND)
    await scheduler.tick()
    assert.deepEqual(await runs(), [
      [MINUTE, 'published'],
      [0, 'published']
    ])
  })

  test('a schedule in an unknown time zone does not stop the others', async () => {
    await nothing()
    const { world, deps } = platform()
    const lost = await makeSchedule(world)
    const { topic } = await makeSchedule(world)
    await deps.registry
      .updateTable('schedules')
      .set({ zone: 'Atlantis/Capital' })
      .where('id', '=', lost.id)
      .execute()
    await deps.registry
      .updateTable('installations')
      .set({ timezone: 'Atlantis/Capital' })
      .where('id', '=', lost.installation.id)
      .execute()
    const scheduler = schedulerOf(platform(), noon)
    assert.deepEqual(await world.published(() => scheduler.tick()), [topic])
    assert.deepEqual(await lost.runs(), [[0, 'failed']])
  })

  test('if two schedulers look at the same time, one runs it', async () => {
    await nothing()
    const { world } = platform()
    const { topic } = await makeSchedule(world)
    const schedulers = [1, 2, 3].map(() => schedulerOf(platform(), noon))
    const published = await world.published(() => Promise.all(schedulers.map((s) => s.tick())))
    assert.deepEqual(published, [topic])
  })

  test('a node without the claim runs nothing, and catches up when it gets the claim', async () => {
    await nothing()
    const { runs } = await makeSchedule(platform().world)
    let leads = false
    const { tick, pass } = schedulerOf(platform(), noon, () => leads)
    await tick()
    pass(10 * SECOND)
    await tick()
    assert.deepEqual(await runs(), [])
    leads = true
    await tick()
    assert.deepEqual(await runs(), [[0, 'published']])
  })

  test('a run that was taken when the process ended is published by the next process', async () => {
    await nothing()
    const { world, deps } = platform()
    const { id, runs, topic } = await makeSchedule(world, {}, unixMs(noon + HOUR))
    await deps.registry
      .insertInto('schedule_runs')
      .values({ schedule_id: id, slot: 1, planned: noon, ran: noon, outcome: 'taken' })
      .execute()
    const scheduler = schedulerOf(platform(), unixMs(noon + 20 * SECOND))
    assert.deepEqual(await world.published(() => scheduler.tick()), [topic])
    assert.deepEqual(await runs(), [[0, 'published']])
  })

  test('a new time zone of the installation or the platform changes the next run', async () => {
    await nothing()
    const { world, deps } = platform()
    const { installation, id } = await makeSchedule(world, { minute: '0', hour: '12' })
    const plan = () =>
      deps.registry
        .selectFrom('schedules')
        .select(['next_run', 'zone'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    const body = { timezone: 'Asia/Tokyo' }
    await world.request(`PUT /api/v2/installation/${installation.id}?silent=true`, {
      as: world.admin,
      body
    })
    const { next_run, zone } = await plan()
    assert.equal(zone, 'Asia/Tokyo')
    assert.equal(Number(next_run) % (24 * HOUR), 3 * HOUR)
  })

  test('a thousand schedules in one minute are all published once', slow, async () => {
    await nothing()
    const { world, deps } = platform()
    const { installation, id } = await makeSchedule(world)
    const first = await deps.registry
      .selectFrom('schedules')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const { id: _, ...row } = first
    const rows = Array.from({ length: 999 }, (_, i) => ({ ...row, topic: `set/lamp_${i}` }))
    for (let i = 0; i < rows.length; i += 333) {
      await deps.registry
        .insertInto('schedules')
        .values(rows.slice(i, i + 333))
        .execute()
    }
    const scheduler = schedulerOf(platform(), noon)
    const published = await world.published(() => scheduler.tick())
    assert.equal(published.length, 1000)
    assert.equal(new Set(published).size, 1000)
    assert(published.every((topic) => topic.startsWith(`${installation.client_id}/set/lamp`)))
  })
})
