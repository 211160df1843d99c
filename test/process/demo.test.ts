import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { countSteps, type Past, STEP, samplesAt, writePast } from '../../src/demo/past.ts'
import { demoSites } from '../../src/demo/sites.ts'
import { DAY, SECOND, toSeconds, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { type Caracal, startCaracal, temporaryDirectory } from '../support/process.ts'

const SAMPLES_OF_A_YEAR = (365 * DAY) / STEP

type Sample = { topic: string; timestamp: number; value: number }
type Log = { total: number; last: number; data: Sample[] }
type ModelX = { id: number; meta: Record<string, string> }
type Installation = { id: number; name: string; client_id: number; created: number }

suite('--demo', () => {
  const env = { CARACAL_DATA_DIR: temporaryDirectory(), CARACAL_DISK_RESERVE_MB: '1' }
  let caracal: Caracal
  let login: string
  let installations: Installation[]

  test('ends with 0 when told to stop while it writes the past', async () => {
    const { printed, code } = await interrupt(env, { after: '10 %', signal: 'SIGTERM' })
    assert.equal(code, 0, printed)
    // The banner never came, and this password is told nowhere else.
    assert.match(printed, /^first administrator: admin@localhost \S{20}$/m)
    assert.doesNotMatch(printed, /Caracal is ready/)
  })

  test('starts after it was killed while it wrote the past', async () => {
    await interrupt(env, { after: '20 %', signal: 'SIGKILL' })
    caracal = await startCaracal(env, ['--demo'])
    assert.match(caracal.printed(), /Writing a year of demo history {2}100 %/)
    login = demoLogin(caracal)
  })

  test('has two installations and forty topics for the user of the banner', async () => {
    installations = await get<Installation[]>(caracal, login, '/api/v2/installation')
    assert.deepEqual(
      installations.map(({ name }) => name),
      ['Villa Björkhaga', 'Kvarnen Office']
    )
    for (const { id, client_id } of installations) {
      const status = await get<Sample[]>(caracal, login, `/api/v2/status/${id}`)
      assert.equal(status.length, 20)
      for (const { topic } of status) assert.ok(topic.startsWith(`${client_id}/obj/`), topic)
    }
  })

  test('has a function for every topic and a device for every place', async () => {
    for (const { id } of installations) {
      const functions = await get<ModelX[]>(caracal, login, `/api/v2/functionx/${id}`)
      const devices = await get<ModelX[]>(caracal, login, `/api/v2/devicex/${id}`)
      const topics = functions.map(({ meta }) => meta['topic_read'])
      assert.equal(new Set(topics).size, 20)
      assert.deepEqual(
        new Set(functions.map(({ meta }) => meta['device_id'])),
        new Set(devices.map((device) => String(device.id)))
      )
    }
  })

  test('has a year of every topic, each sample once', async () => {
    for (const { id, created } of installations) {
      const to = pastEnd(created)
      const oldest = await readLog(caracal, login, { id, to, order: 'asc' })
      assert.equal(oldest.total, 20 * SAMPLES_OF_A_YEAR)
      assert.equal(fromSeconds(oldest.data[0]?.timestamp), to - 365 * DAY + STEP)
      const topic = oldest.data[0]?.topic
      const one = await readLog(caracal, login, { id, to, topic })
      assert.equal(one.total, SAMPLES_OF_A_YEAR)
    }
  })

  test('goes on with values of this moment', async () => {
    const begin = Date.now()
    for (const { id } of installations) {
      const status = await eventually(async () => {
        const status = await get<Sample[]>(caracal, login, `/api/v2/status/${id}`)
        assert.ok(status.every(({ timestamp }) => fromSeconds(timestamp) > begin))
        return status
      }, 20 * SECOND)
      // Live values carry on where the past ended: a meter never runs backwards.
      const topic = status.find((sample) => sample.topic.endsWith('/meter/energy'))?.topic
      const { data } = await readLog(caracal, login, { id, topic, limit: 1000 })
      const values = data.map(({ value }) => value)
      assert.equal(values.length, 1000)
      assert.deepEqual(
        values,
        values.toSorted((a, b) => b - a)
      )
    }
  })

  test('ends with 0 on SIGTERM while values come in', async () => {
    assert.equal(await caracal.kill('SIGTERM'), 0)
  })

  test('adds nothing at the next start but a new password', async () => {
    caracal = await startCaracal(env, ['--demo'])
    assert.doesNotMatch(caracal.printed(), /Writing/)
    const old = login
    login = demoLogin(caracal)
    assert.notEqual(login, old)
    assert.equal((await request(caracal, old, '/api/v2/user/me')).status, 401)
    const again = await get<Installation[]>(caracal, login, '/api/v2/installation')
    assert.deepEqual(again, installations)
    for (const { id, created } of installations) {
      const { total } = await readLog(caracal, login, { id, to: pastEnd(created) })
      assert.equal(total, 20 * SAMPLES_OF_A_YEAR)
    }
    assert.equal(await caracal.kill('SIGTERM'), 0)
  })
})

test('the past of the demo is the same when it is written again, and stops where it is told to', async () => {
  const platform = await startTestPlatform()
  try {
    const { history, latest } = platform.deps
    const installation = await platform.world.installation({ organization_id: 1 })
    const topics = (demoSites()[0]?.topics ?? [])
      .slice(0, 2)
      .map((it) => ({ ...it, topic: `${installation.client_id}/${it.topic}` }))
    const to = unixMs(Math.floor(Date.now() / STEP) * STEP)
    const past: Past = { installation, topics, from: unixMs(to - 2500 * STEP), to }
    const total = async () => {
      const query = `from=${toSeconds(past.from)}&to=${toSeconds(past.to)}&limit=1`
      const path = `/api/v3beta/log/${installation.id}?${query}`
      const { json } = await platform.world.request(`GET ${path}`, { as: platform.world.admin })
      return (json as Log).total
    }

    const stopping = new AbortController()
    const stopAfterOneBatch = (steps: number) => steps > 0 && stopping.abort()
    const options = { signal: stopping.signal, onSteps: stopAfterOneBatch }
    assert.equal(await writePast(history, past, options), false)
    const part = await total()
    assert.ok(part > 0 && part < countSteps(past) * 2, `${part} samples`)

    assert.equal(await writePast(history, past), true)
    assert.equal(await total(), countSteps(past) * 2)
    assert.equal(await writePast(history, past), true)
    assert.equal(await total(), countSteps(past) * 2)

    const newest = samplesAt(past, past.to)
    assert.ok(newest.every(({ id }) => id < Date.now() * 1000))
    for (const sample of newest) latest.put(sample)
    assert.equal((await latest.topics(installation.id, [`${installation.client_id}/#`])).length, 2)
  } finally {
    await platform.stop()
  }
})

/** Starts the program and sends the signal as soon as it has printed the text. */
async function interrupt(
  env: Record<string, string>,
  { after, signal }: { after: string; signal: NodeJS.Signals }
): Promise<{ printed: string; code: number | null }> {
  const child = spawn(process.execPath, ['caracal.js', '--demo'], {
    cwd: new URL('../..', import.meta.url),
    env: { ...env, CARACAL_HTTP_PORT: '0', CARACAL_MQTT_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    if (!printed.includes(after) && (printed + chunk).includes(after)) child.kill(signal)
    printed += chunk
  })
  const [code] = await once(child, 'close')
  return { printed, code: code as number | null }
}

const demoLogin = (caracal: Caracal): string =>
  /Demo user\s+(\S+)\s+(\S+)/.exec(caracal.printed())?.slice(1).join(':') ?? ''

function request({ url }: Caracal, login: string, path: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`
  return fetch(url + path, { headers: { authorization } })
}

async function get<T>(caracal: Caracal, login: string, path: string): Promise<T> {
  const response = await request(caracal, login, path)
  assert.equal(response.status, 200, path)
  return (await response.json()) as T
}

type LogQuery = { id: number; to?: number; topic?: string; order?: string; limit?: number }

function readLog(caracal: Caracal, login: string, query: LogQuery): Promise<Log> {
  const { id, to = Date.now(), topic = '#', order = 'desc', limit = 1 } = query
  const parameters = new URLSearchParams({ from: '0', to: String(to / 1000), topics: topic, order })
  return get(caracal, login, `/api/v3beta/log/${id}?${parameters}&limit=${limit}`)
}

const fromSeconds = (seconds = 0): number => seconds * SECOND

/** The last step of the past: it ends where the installation began. */
const pastEnd = (created: number): number => Math.floor(fromSeconds(created) / STEP) * STEP
