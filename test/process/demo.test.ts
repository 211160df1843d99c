import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { countSteps, type Past, STEP_MS, samplesAt, writePast } from '../../src/demo/past.ts'
import { demoSites } from '../../src/demo/sites.ts'
import { DAY, SECOND, toSeconds, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { type Program, startDemo } from '../support/program.ts'
import { rounds, slow } from '../support/rounds.ts'

/** A year with CI=true, else some days. */
const PAST_MS = rounds(365, 8) * DAY
const SAMPLES_OF_A_TOPIC = PAST_MS / STEP_MS

type Sample = { topic: string; timestamp: number; value: number }
type Log = { total: number; last: number; data: Sample[] }
type Board = { title: string; topics: string[] }[]
type ModelX = { id: number; meta: Record<string, string> }
type Installation = { id: number; name: string; client_id: number; created: number }

suite('--demo', () => {
  const env = { CARACAL_DATA_DIR: temporaryDirectory(), CARACAL_DISK_RESERVE_MB: '1' }
  let caracal: Program
  let login: string
  let installations: Installation[]

  test('ends with 0 if it is stopped while it writes the past', slow, async () => {
    const { printed, code } = await interrupt(env, { after: '10 %', signal: 'SIGTERM' })
    assert.equal(code, 0, printed)
    // The banner was not printed, and the password is shown nowhere else.
    assert.match(printed, /^first administrator: admin@localhost \S{20}$/m)
    assert.doesNotMatch(printed, /Caracal \S+ is ready/)
  })

  test('is killed while it writes the past', slow, async () => {
    const { code } = await interrupt(env, { after: '20 %', signal: 'SIGKILL' })
    assert.equal(code, null)
  })

  test('starts', async () => {
    caracal = await startDemo(env, { shortMs: PAST_MS })
    assert.match(caracal.printed(), /Writing a year of demo history {2}100 %/)
    login = demoLogin(caracal)
  })

  /** Actuators have no past, and report seldom. */
  const measured = ({ topic }: Sample) => !/\/(switch|setpoint|mode|motor|dimmer)$/.test(topic)

  test('has two installations and forty topics for the user of the banner', async () => {
    installations = await get<Installation[]>(caracal, login, '/api/v2/installation')
    assert.deepEqual(
      installations.map(({ name }) => name),
      ['Villa Björkhaga', 'Kvarnen Office']
    )
    for (const { id, client_id } of installations) {
      const status = await get<Sample[]>(caracal, login, `/api/v2/status/${id}`)
      assert.equal(status.filter(measured).length, 20)
      for (const { topic } of status) assert.ok(topic.startsWith(`${client_id}/obj/`), topic)
    }
  })

  test('has a board of topics that are there', async () => {
    for (const { id, client_id } of installations) {
      const status = await get<Sample[]>(caracal, login, `/api/v2/status/${id}`)
      const known = new Set(status.map(({ topic }) => topic))
      const { plots } = await get<{ plots: Board }>(caracal, login, `/api/v2/board/${id}`)
      assert.ok(plots.length >= 3)
      for (const topic of plots.flatMap(({ topics }) => topics)) {
        assert.ok(known.has(`${client_id}/${topic}`), topic)
      }
    }
  })

  test('has something on the pages of management', async () => {
    for (const { id } of installations) {
      const lists = ['schedule', 'rule', 'edge/app/configured', 'file/installation'].map(
        (room) => `${room}/${id}`
      )
      for (const list of [...lists, `notification/${id}/message`, `notification/${id}/output`]) {
        assert.notDeepEqual(await get(caracal, login, `/api/v2/${list}`), [], list)
      }
      await eventually(async () => {
        const refused = await get<{ topic: string }[]>(caracal, login, `/api/v2/ledger/${id}`)
        assert.match(refused[0]?.topic ?? '', /old_meter/)
      })
      await eventually(async () =>
        assert.notDeepEqual(await get(caracal, login, `/api/v2/alarm/${id}`), [])
      )
    }
  })

  test('has a function for every topic and a device for every place', async () => {
    for (const { id } of installations) {
      const functions = await get<ModelX[]>(caracal, login, `/api/v2/functionx/${id}`)
      const devices = await get<ModelX[]>(caracal, login, `/api/v2/devicex/${id}`)
      const topics = functions.map(({ meta }) => meta['topic_read'])
      const actuators = functions.filter(({ meta }) => meta['topic_write'])
      assert.ok(actuators.length >= 2)
      assert.equal(new Set(topics).size, 20 + actuators.length)
      assert.deepEqual(
        new Set(functions.map(({ meta }) => meta['device_id'])),
        new Set(devices.map((device) => String(device.id)))
      )
    }
  })

  test('has values of the whole past for every topic, each sample once', async () => {
    for (const { id, created } of installations) {
      const to = pastEnd(created)
      const oldest = await readLog(caracal, login, { id, to, order: 'asc' })
      assert.equal(oldest.total, 20 * SAMPLES_OF_A_TOPIC)
      assert.equal(fromSeconds(oldest.data[0]?.timestamp), to - PAST_MS + STEP_MS)
      const topic = oldest.data[0]?.topic
      const one = await readLog(caracal, login, { id, to, topic })
      assert.equal(one.total, SAMPLES_OF_A_TOPIC)
    }
  })

  test('continues with current values', async () => {
    const begin = Date.now()
    for (const { id } of installations) {
      const status = await eventually(async () => {
        const status = await get<Sample[]>(caracal, login, `/api/v2/status/${id}`)
        assert.ok(status.filter(measured).every(({ timestamp }) => fromSeconds(timestamp) > begin))
        return status
      }, 20 * SECOND)
      // Live values continue where the past ended: a meter never runs backwards.
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

  test('has a lamp that answers, and a fan that never does', async () => {
    const [villa] = installations
    assert(villa)
    const [username, password] = login.split(/:(.*)/s)
    const client = await connectAsync(`mqtt://127.0.0.1:${caracal.mqttPort}`, {
      username,
      password
    })
    const currentOf = async (topic: string) => {
      const status = await get<Sample[]>(caracal, login, `/api/v2/status/${villa.id}`)
      return status.find((one) => one.topic === `${villa.client_id}/obj/${topic}`)?.value
    }
    await eventually(async () => assert.equal(await currentOf('living_room/switch'), 1))
    for (const topic of ['living_room/switch', 'bathroom/switch']) {
      const to = `${villa.client_id}/set/obj/${topic}`
      await client.publishAsync(to, JSON.stringify({ value: 0 }), { qos: 1 })
    }
    await eventually(async () => assert.equal(await currentOf('living_room/switch'), 0))
    assert.equal(await currentOf('bathroom/switch'), undefined)
    await client.endAsync()
  })

  test('has a heat pump that answers commands', async () => {
    const [villa] = installations
    assert(villa)
    const known = await get<{ meta: Record<string, string> }[]>(
      caracal,
      login,
      `/api/v2/functionx/${villa.id}?topic_response=mqtt5`
    )
    const topic = known[0]?.meta['topic_write']
    assert(topic)
    const answer = await fetch(`${caracal.url}/api/v2/command/${villa.id}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(login)}` },
      body: JSON.stringify({ topic, payload: { value: 3 } })
    })
    assert.equal(answer.status, 200)
    assert.equal(((await answer.json()) as { payload: string }).payload, '{"value":3}')
  })

  test('ends with 0 on SIGTERM while values arrive', async () => {
    assert.equal(await caracal.stop(), 0)
  })

  test('adds only a new password at the next start', async () => {
    caracal = await startDemo(env, { shortMs: PAST_MS })
    assert.doesNotMatch(caracal.printed(), /Writing/)
    const old = login
    login = demoLogin(caracal)
    assert.notEqual(login, old)
    assert.equal((await request(caracal, old, '/api/v2/user/me')).status, 401)
    const again = await get<Installation[]>(caracal, login, '/api/v2/installation')
    assert.deepEqual(again, installations)
    for (const { id, created } of installations) {
      const { total } = await readLog(caracal, login, { id, to: pastEnd(created) })
      assert.equal(total, 20 * SAMPLES_OF_A_TOPIC)
    }
    assert.equal(await caracal.stop(), 0)
  })
})

test('the past of the demo is the same when it is written again, and stops when it is aborted', async () => {
  const platform = await startTestPlatform()
  try {
    const { history, latest } = platform.deps
    const installation = await platform.world.installation({ organization_id: 1 })
    const topics = (demoSites()[0]?.topics ?? [])
      .slice(0, 2)
      .map((it) => ({ ...it, topic: `${installation.client_id}/${it.topic}` }))
    const to = unixMs(Math.floor(Date.now() / STEP_MS) * STEP_MS)
    const past: Past = { installation, topics, from: unixMs(to - 2500 * STEP_MS), to }
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
    assert.equal((await latest.open(installation.id)).size, 2)
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

const demoLogin = (caracal: Program): string =>
  /Demo user\s+(\S+)\s+(\S+)/.exec(caracal.printed())?.slice(1).join(':') ?? ''

function request({ url }: Program, login: string, path: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`
  return fetch(url + path, { headers: { authorization } })
}

async function get<T>(caracal: Program, login: string, path: string): Promise<T> {
  const response = await request(caracal, login, path)
  assert.equal(response.status, 200, path)
  return (await response.json()) as T
}

type LogQuery = { id: number; to?: number; topic?: string; order?: string; limit?: number }

function readLog(caracal: Program, login: string, query: LogQuery): Promise<Log> {
  const { id, to = Date.now(), topic = '#', order = 'desc', limit = 1 } = query
  const parameters = new URLSearchParams({ from: '0', to: String(to / 1000), topics: topic, order })
  return get(caracal, login, `/api/v3beta/log/${id}?${parameters}&limit=${limit}`)
}

const fromSeconds = (seconds = 0): number => seconds * SECOND

/** The last step of the past ends when the installation was created. */
const pastEnd = (created: number): number => Math.floor(fromSeconds(created) / STEP_MS) * STEP_MS
