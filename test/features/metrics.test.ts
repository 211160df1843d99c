import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { metricsOf } from '../../tools/metrics-page.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { freePort } from '../support/port.ts'
import { slow } from '../support/rounds.ts'

let ahead = 0
let stopped: number | undefined
let platform: TestPlatform
before(async () => {
  const nobody = `127.0.0.1:${await freePort()}`
  platform = await startTestPlatform({
    clock: () => unixMs((stopped ?? Date.now()) + ahead),
    settings: { CARACAL_MAIL_URL: `smtp://${nobody}`, CARACAL_SMS_URL: `http://${nobody}/sms` }
  })
})
after(() => platform.stop())

async function scrape(): Promise<string[]> {
  const { world } = platform
  const { status, text } = await world.request('GET /metrics', { as: world.admin })
  assert.equal(status, 200, text)
  return text.split('\n')
}

async function figure(series: string): Promise<number> {
  const line = (await scrape()).find((line) => line.startsWith(`${series} `))
  assert(line, `there is no series ${series}`)
  return Number(line.split(' ').at(-1))
}

const seriesOf = (lines: readonly string[]) =>
  lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
    .sort()

test('every metric that the platform shows is on the page, with its type', async () => {
  const shown = (await scrape()).filter((line) => line.startsWith('# TYPE '))
  const listed = metricsOf({ hasTls: false }).map(({ name, type }) => `# TYPE ${name} ${type}`)
  assert.deepEqual(shown.sort(), listed.sort())
})

test('names of counters end with _total, and only those', () => {
  for (const broker of [true, false]) {
    for (const { name, type } of metricsOf({ hasBroker: broker })) {
      assert.equal(name.endsWith('_total'), type === 'counter', name)
    }
  }
})

test('answers of a route: each bucket counts those of the smaller ones too, of every status', async () => {
  const { world } = platform
  const labels = 'method="GET",route="/api/v2/role/:role_id"'
  for (const id of [1, 1, 4711]) await world.request(`GET /api/v2/role/${id}`, { as: world.admin })

  const lines = (await scrape()).filter((line) => line.includes(labels))

  const of = (name: string) =>
    lines
      .filter((line) => line.startsWith(`caracal_http_${name}{`))
      .map((line) => [/le="([^"]+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))] as const)
  const buckets = of('request_seconds_bucket')
  assert.deepEqual(
    buckets.map(([le]) => le),
    ['0.005', '0.02', '0.1', '0.5', '2', '10', '60', '+Inf']
  )
  const counts = buckets.map(([, count]) => count)
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b)
  )
  assert.equal(counts.at(-1), 3)
  assert.deepEqual(of('request_seconds_count'), [[undefined, 3]])
  const [[, seconds = 0] = []] = of('request_seconds_sum')
  assert(seconds > 0 && seconds < 60, `${seconds} s`)
})

test('nothing that a tenant creates or names becomes a series', slow, async (t) => {
  // What a tenant used in the last seconds is a series until they are over.
  stopped = Date.now()
  t.after(() => {
    stopped = undefined
  })
  const { world } = platform
  const organization_id = await world.organization()
  const admin = await world.user({ grants: ['#'], organizations: [organization_id] })
  const live = async () => {
    for (let i = 0; i < 3; i++) {
      const { client_id } = await world.installation({ organization_id })
      const name = world.unique('x')
      await world.organization(organization_id)
      const user = await world.user({ grants: ['#'], organizations: [organization_id] })
      for (const payload of ['{"value":1}', 'not json']) {
        await world.publish(user, `${client_id}/obj/${name}`, payload)
        await world.publish(user, `${client_id}99/obj/${name}`, payload)
      }
      for (const path of [
        `/${name}`,
        `/api/v2/${name}`,
        `/api/v2/user/me/meta/${name}?${name}=1`
      ]) {
        for (const method of ['GET', 'POST']) {
          await world
            .request(`${method} ${path}`, { as: admin, body: '{"value":"x"}' })
            .catch(() => {})
        }
      }
      const authorization = `Basic ${btoa(`${name}:x`)}`
      await world.request('POST /lynx/api/v2/auth', { headers: { authorization } })
      await assert.rejects(mqttClient(t, platform.mqttPort, { username: name, password: 'x' }))
    }
  }
  await live()
  // Topics are counted every few seconds.
  const before = await eventually(async () => {
    const series = seriesOf(await scrape())
    assert(series.some((one) => one.includes('quota="topics",tenant="organization')))
    return series
  })
  await live()
  assert.deepEqual(seriesOf(await scrape()), before)
  assert(before.some((series) => series.includes(`tenant="organization ${organization_id}"`)))
  assert(!before.some((series) => series.includes('/lynx')))
})

describe('readiness', () => {
  const ready = async () => [
    await figure('caracal_ready'),
    await figure('caracal_engine_ready{engine="history"}'),
    await figure('caracal_engine_ready{engine="registry"}')
  ]
  test('is 1 while all is well, and 0 while an engine fails', async () => {
    const { history } = platform.deps
    assert.deepEqual(await ready(), [1, 1, 1])
    const { check } = history
    history.check = () => Promise.reject(new Error('away'))
    assert.deepEqual(await ready(), [0, 0, 1])
    history.check = check
  })
  test('is 0 while an engine hangs, and the other figures are there', async () => {
    const { history } = platform.deps
    const { check, sizes } = history
    history.check = () => new Promise(() => {})
    history.sizes = () => new Promise(() => {})
    const lines = await scrape()
    history.check = check
    history.sizes = sizes
    assert(lines.includes('caracal_ready 0'))
    assert(lines.includes('caracal_history_bytes Nan'))
    assert(lines.some((line) => /^caracal_disk_free_bytes [1-9]/.test(line)))
  })
})

test('the ages of samples: the newest one that is stored, and the oldest one in the spool', async () => {
  const { world, deps } = platform
  const { installation, user } = await world.site(['mqtt/publish/all'])
  const topic = `${installation.client_id}/obj/x`
  await world.publish(user, topic, { value: 1, timestamp: 1 })
  await eventually(async () => assert.equal(await figure('caracal_spool_samples'), 0))
  assert.equal(await figure('caracal_spool_oldest_sample_age_seconds'), 0)
  ahead += 100 * SECOND
  const age = await figure('caracal_newest_sample_age_seconds')
  assert(age >= 100 && age < 160, String(age))

  const { append } = deps.history
  deps.history.append = () => Promise.reject(new Error('away'))
  await world.publish(user, topic, { value: 2, timestamp: 2 })
  ahead += 50 * SECOND
  await world.publish(user, topic, { value: 3, timestamp: 3 })
  const oldest = await figure('caracal_spool_oldest_sample_age_seconds')
  assert(oldest >= 50 && oldest < 110, String(oldest))
  assert((await figure('caracal_newest_sample_age_seconds')) < 50)
  deps.history.append = append
})

test('how far the readers of the spool are behind, and what they have missed', async () => {
  const { world, deps } = platform
  const { installation, user } = await world.site(['mqtt/publish/all'])
  await deps.spool.register('test')
  const publish = (value: number) =>
    world.publish(user, `${installation.client_id}/obj/x`, { value, timestamp: value })
  for (const value of [1, 2, 3]) await publish(value)
  const samplesOf = (reader: string) => figure(`caracal_spool_reader_samples{reader="${reader}"}`)
  await eventually(async () => assert.equal(await samplesOf('mover'), 0))
  assert.equal(await samplesOf('test'), 3)
  assert.equal(await figure('caracal_spool_samples'), 0)
  assert((await figure('caracal_spool_bytes')) > 0)
  const missed = 'caracal_spool_reader_missed_samples_total'
  assert.equal(await figure(`${missed}{reader="test"}`), 0)
  assert.equal((await deps.spool.moveOn(0)).length, 1)
  assert.equal(await figure(`${missed}{reader="test"}`), 3)
  assert.equal(await figure(`${missed}{reader="mover"}`), 0)
  assert.equal(await samplesOf('test'), 0)
  await deps.spool.remove('test')
  assert(!(await scrape()).some((line) => line.includes('reader="test"')))
})

test('mails and SMS that could not be sent', async () => {
  const { world } = platform
  const user = await world.user({ mobile: '+46701234567', sms_login: true })
  const { email } = user
  await world.request('POST /api/v2/auth/reset_password', { body: { email } })
  const authorization = `Basic ${btoa(`${email}:${user.password}`)}`
  const { status } = await world.request('POST /api/v2/auth', { headers: { authorization } })
  assert.equal(status, 200)
  await eventually(async () => {
    for (const kind of ['mail', 'sms']) {
      assert.equal(await figure(`caracal_letters_total{kind="${kind}",outcome="failed"}`), 1, kind)
      assert.equal(await figure(`caracal_letters_total{kind="${kind}",outcome="sent"}`), 0, kind)
    }
  })
})

test('sizes: files are counted again after ten minutes, and the registry has some', async () => {
  const { world } = platform
  const { installation, user } = await world.site(['file/#'])
  const before = await figure('caracal_files_bytes')
  const form = new FormData()
  form.set('file', new Blob(['twelve bytes']), 'a.txt')
  const { status } = await fetch(`${platform.url}/api/v2/file/installation/${installation.id}`, {
    ...{ method: 'POST', headers: { 'x-api-key': user.token }, body: form }
  })
  assert.equal(status, 200)
  ahead += 10 * MINUTE
  assert.equal(await figure('caracal_files_bytes'), before + 12)
  assert((await figure('caracal_registry_bytes')) > 100_000)
})
