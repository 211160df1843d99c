import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { answerBack, withCommands } from '../support/commands.ts'
import { eventually } from '../support/eventually.ts'
import { mountedKey } from '../support/mounts.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'
import type { Account } from '../support/world.ts'

const MIB = 1024 * 1024

describe('what a command may be', () => {
  const closing: (() => unknown)[] = []
  let made: Awaited<ReturnType<typeof withCommands>>
  before(async () => {
    const t = { after: (close: () => unknown) => void closing.push(close) } as TestContext
    made = await withCommands(t, 'embedded')
  })
  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  const wrong: [name: string, body: () => unknown, message: RegExp][] = [
    ['no body', () => undefined, /body must be an object/],
    ['no topic', () => ({}), /topic is required/],
    ['an empty topic', () => ({ topic: '' }), /topic must not be empty/],
    ['only the client id', () => ({ topic: `${made.client_id}/` }), /topic must not be empty/],
    ['a wildcard', () => ({ topic: 'set/+' }), /topic must not contain \+, # or control/],
    ['all topics', () => ({ topic: '#' }), /topic must not contain/],
    ['a control character', () => ({ topic: 'set/\u0007' }), /topic must not contain/],
    ['half a character', () => ({ topic: 'set/\ud800' }), /topic must not contain/],
    ['a long topic', () => ({ topic: 'x'.repeat(1025) }), /at most 64 levels and 1024 bytes/],
    ['many levels', () => ({ topic: 'x/'.repeat(64) }), /at most 64 levels/],
    ['a topic of values', () => ({ topic: 'obj/x' }), /topic must not be obj/],
    ['the same with client id', () => ({ topic: `${made.client_id}/obj/x` }), /must not be obj/],
    ['no text', () => ({ topic: 5 }), /topic must be text/],
    [
      'an answer on its own topic',
      () => ({ topic: 'set/x', response_topic: `${made.client_id}/set/x` }),
      /response_topic must not be the topic/
    ],
    ['a filter of answers', () => ({ topic: 'a', response_topic: '#' }), /response_topic must not/],
    ['a large payload', () => ({ topic: 'a', payload: 'x'.repeat(65_537) }), /at most 65536 bytes/],
    ['one of two bytes', () => ({ topic: 'a', payload: 'å'.repeat(32_769) }), /65536 bytes/],
    ['one of JSON', () => ({ topic: 'a', payload: ['x'.repeat(65_533)] }), /65536 bytes/],
    ['no time', () => ({ topic: 'a', timeout: 0 }), /timeout must be a number from 0.1 to 60/],
    ['a long time', () => ({ topic: 'a', timeout: 60.1 }), /timeout must be a number/],
    ['QoS 2', () => ({ topic: 'a', qos: 2 }), /qos must be a whole number from 0 to 1/],
    ['a content type', () => ({ topic: 'a', content_type: 'a\nb' }), /content_type must be/],
    ['a retain flag', () => ({ topic: 'a', retain: true }), /retain is not known here/],
    ['something else', () => ['set/x'], /body must be an object/]
  ]
  for (const [name, body, message] of wrong) {
    test(`400: ${name}`, async () => {
      const { world, id, user } = made
      const options = { as: user, body: body() }
      const { status, json } = await world.request(`POST /api/v2/command/${id}`, options)
      assert.equal(status, 400)
      assert.match((json as { message: string }).message, message)
    })
  }

  test('413: a body that is larger than any command', async () => {
    const { status } = await made.send({ topic: 'a', payload: 'x'.repeat(MIB) })
    assert.equal(status, 413)
  })

  test('the largest command and the largest answer go through, one byte more does not', async () => {
    const { got } = await made.device(
      (sent, client) => answerBack(sent, client, 'y'.repeat(Number(sent.topic.split('/').at(-1)))),
      { filter: 'large/#' }
    )
    const payload = 'x'.repeat(65_536)
    const most = await made.send({ topic: 'large/65536', payload })
    assert.equal(most.status, 200)
    assert.equal((most.json as { payload: string }).payload.length, 65_536)
    assert.equal(got[0]?.payload, payload)
    const { status, json } = await made.send({ topic: 'large/65537' })
    assert.equal(status, 502)
    assert.deepEqual(json, { message: 'The answer has more than 65536 bytes' })
  })

  test('what is no text is sent as JSON, and nothing as an empty payload', async () => {
    const { got } = await made.device((sent, client) => answerBack(sent, client, 'ok'), {
      filter: 'kinds'
    })
    const payloads = ['{"a":1}', { a: [1, 'å'] }, 5, true, [], '', null, undefined]
    for (const payload of payloads) await made.send({ topic: 'kinds', payload })
    const texts = ['{"a":1}', '{"a":[1,"å"]}', '5', 'true', '[]', '', '', '']
    assert.deepEqual(
      got.map(({ payload }) => payload),
      texts
    )
  })

  test('the client id of another installation is just a part of the topic', async () => {
    const { world, client_id } = made
    const other = await world.installation({ organization_id: made.installation.organization_id })
    const { got } = await made.device(() => {}, { filter: `${other.client_id}/set/x` })
    const listener = await made.connect(5)
    await listener.subscribe(`${other.client_id}/#`)
    const body = { topic: `${other.client_id}/set/x`, timeout: 0.3 }
    assert.equal((await made.send(body)).status, 504)
    assert.equal(got[0]?.topic, `${client_id}/${other.client_id}/set/x`)
    assert.deepEqual(listener.messages, [])
  })

  test('a blacklisted topic is 403, for the command and for the answer', async () => {
    const { world, client_id } = made
    const body = { topic: `${client_id}/loud/#`, reason: 'x', enabled: true, mode: 'block' }
    const entry = await world.request('POST /api/v2/blacklist/topic', { as: world.admin, body })
    assert.equal(entry.status, 200)
    const command = await made.send({ topic: 'loud/x' })
    assert.deepEqual(
      [command.status, command.json],
      [403, { message: 'topic is on the blacklist' }]
    )
    const answer = await made.send({ topic: 'set/x', response_topic: 'loud/x' })
    assert.deepEqual(
      [answer.status, answer.json],
      [403, { message: 'response_topic is on the blacklist' }]
    )
  })

  test('who may not send commands gets 403, a foreign or missing installation too', async () => {
    const { world, id, installation, traced, user } = made
    const body = { topic: 'set/x', timeout: 0.1 }
    const own = [installation.organization_id]
    const statusOf = async (
      grants: string[],
      more: { organizations?: number[]; assigned?: number[] }
    ) => {
      const as = await world.user({ grants, ...more })
      return (await world.request(`POST /api/v2/command/${id}`, { as, body })).status
    }
    assert.equal(await statusOf(['command/send/all'], { organizations: own }), 504)
    assert.equal(await statusOf(['command/send/assigned'], { assigned: [id] }), 504)
    assert.equal(await statusOf([`${id}/command/#`], {}), 504)
    assert.equal(await statusOf(['command/send/assigned'], { organizations: own }), 403)
    assert.equal(await statusOf(['mqtt/#', 'sample/#'], { organizations: own }), 403)
    const elsewhere = { organizations: [await world.organization()] }
    assert.equal(await statusOf(['command/send/all'], elsewhere), 403)
    assert.equal((await world.request(`POST /api/v2/command/${id}`, { body })).status, 401)
    const missing = await world.request('POST /api/v2/command/999999', { as: world.admin, body })
    assert.equal(missing.status, 403)
    const denied = (await traced(user)).filter(({ description }) => /^refused/.test(description))
    assert(denied.length > 0)
  })

  test('a device below a mount answers on a topic below it, and cannot on another', async () => {
    const { world, id, client_id, mqttPort } = made
    const { token } = await mountedKey(world, world.admin, { installation_id: id, prefix: 'dev' })
    const after = (close: () => unknown) => void closing.push(close)
    const device = await mqttClient({ after }, mqttPort, {
      ...{ username: 'token', password: token, protocolVersion: 5 }
    })
    const topics: (string | undefined)[] = []
    device.mqtt.on('message', (topic, payload, { properties = {} }) => {
      topics.push(topic, properties.responseTopic)
      answerBack({ topic, payload: payload.toString(), properties }, device, 'ok')
    })
    await device.subscribe('cmnd/#')
    const body = { topic: 'dev/cmnd/plug', response_topic: 'dev/answer', timeout: 5 }
    const { status, json } = await made.send(body)
    assert.equal(status, 200)
    assert.equal((json as { topic: string }).topic, `${client_id}/dev/answer`)
    assert.deepEqual(topics, ['cmnd/plug', 'answer'])
    assert.equal((await made.send({ topic: 'dev/cmnd/plug', timeout: 0.3 })).status, 504)
  })

  test('another tenant can neither answer a command nor read it or its answer', async () => {
    const { world, client_id, mqttPort } = made
    const other = await world.site(['mqtt/#', 'command/#'])
    const spy = await mqttClient({ after: () => {} }, mqttPort, {
      ...{ username: 'token', password: other.user.token, protocolVersion: 5 }
    })
    try {
      assert.deepEqual(await spy.subscribe([`${client_id}/answer/#`, '#']), [135, 1])
      const { got } = await made.device(
        (sent, client) => sent.payload === 'answer' && answerBack(sent, client, 'mine'),
        { filter: 'quiet' }
      )
      const asked = made.send({ topic: 'quiet', timeout: 1 })
      await eventually(() => assert.equal(got.length, 1))
      const { responseTopic = '', correlationData } = got[0]?.properties ?? {}
      const properties = correlationData ? { correlationData } : {}
      await assert.rejects(
        spy.mqtt.publishAsync(responseTopic, 'forged', { qos: 1, properties }),
        /Not authorized/
      )
      assert.equal((await asked).status, 504)
      assert.equal((await made.send({ topic: 'quiet', payload: 'answer' })).status, 200)
      await spy.publish(`${other.installation.client_id}/end`, '', { qos: 1 })
      await eventually(() => assert.equal(spy.messages.length, 1))
    } finally {
      spy.mqtt.end(true)
    }
  })
})

test('a command counts in the rate of the installation', slow, async (t) => {
  const settings = { CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1' }
  const { device, send, client_id } = await withCommands(t, 'embedded', { settings })
  const { got } = await device((sent, client) => answerBack(sent, client, 'ok'))
  const refused = await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ topic: 'set/x' })))
    const [late] = answers.filter(({ status }) => status === 429)
    assert(late)
    return late
  })
  assert.match((refused.json as { message: string }).message, /messages_per_second/)
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  assert(got.length >= 1, String(client_id))
})

/** Commands that nobody answers. Each needs a connection. */
class Crowd {
  readonly #platform: TestPlatform
  readonly #agent = new Agent({ keepAlive: false })
  #left: (() => void)[] = []

  constructor(platform: TestPlatform) {
    this.#platform = platform
  }

  get waiting(): number {
    return this.#platform.deps.commands.waiting
  }

  async ask(id: number, as: Account, timeout = 60): Promise<{ status: number; message: string }> {
    const { httpPort: port } = this.#platform
    return new Promise((resolve, reject) => {
      const made = request(
        {
          ...{ port, host: '127.0.0.1', method: 'POST', path: `/api/v2/command/${id}` },
          ...{ agent: this.#agent, headers: { 'x-api-key': as.token } }
        },
        (answer) => {
          const told = json(answer) as Promise<{ message: string }>
          told.then(({ message }) => resolve({ status: answer.statusCode ?? 0, message }), reject)
        }
      )
      made.on('error', () => resolve({ status: 0, message: 'hung up' }))
      made.end(JSON.stringify({ topic: 'set/x', timeout }))
      this.#left.push(() => made.destroy())
    })
  }

  async wait(count: number, begin: (at: number) => void): Promise<void> {
    const before = this.waiting
    const AT_ONCE = 50
    for (let at = 0; at < count; at += AT_ONCE) {
      const some = Math.min(AT_ONCE, count - at)
      for (let i = at; i < at + some; i++) begin(i)
      await eventually(() => assert.equal(this.waiting, before + at + some))
    }
  }

  async leave(): Promise<void> {
    for (const hangUp of this.#left) hangUp()
    this.#left = []
    await eventually(() => assert.equal(this.waiting, 0))
  }
}

test('waiting commands have bounds: installation, account, organization, node', slow, async (t) => {
  const platform = await startTestPlatform({
    settings: { CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1000' }
  })
  t.after(() => platform.stop())
  const { world } = platform
  const crowd = new Crowd(platform)
  const grants = ['command/send/all']
  const makeTenant = async () => {
    const organization_id = await world.organization()
    const ids: number[] = []
    for (let i = 0; i < 26; i++) ids.push((await world.installation({ organization_id })).id)
    const users: Account[] = []
    for (let i = 0; i < 6; i++)
      users.push(await world.user({ grants, organizations: [organization_id] }))
    return { ids, users }
  }
  type Tenant = Awaited<ReturnType<typeof makeTenant>>
  const askAs = ({ ids, users }: Tenant, installation: number, user: number) => {
    const [id, as] = [ids[installation], users[user]]
    assert(id && as)
    return crowd.ask(id, as)
  }
  const first = await makeTenant()
  await crowd.wait(20, () => void askAs(first, 0, 0))
  assert.deepEqual(await askAs(first, 0, 1), {
    status: 429,
    message: 'Too many commands at once: an installation has at most 20 waiting'
  })
  await crowd.wait(80, (i) => void askAs(first, 1 + Math.floor(i / 20), 0))
  assert.deepEqual(await askAs(first, 5, 0), {
    status: 429,
    message: 'Too many commands at once: an account has at most 100 waiting'
  })
  await crowd.wait(400, (i) => void askAs(first, 5 + Math.floor(i / 20), 1 + Math.floor(i / 100)))
  assert.deepEqual(await askAs(first, 25, 5), {
    status: 429,
    message: 'Too many commands at once: an organization has at most 500 running and 0 waiting'
  })
  const others = [await makeTenant(), await makeTenant(), await makeTenant()]
  for (const [at, tenant] of others.entries()) {
    // 100 places are kept for callers who reach the top.
    const count = at === 2 ? 400 : 500
    await crowd.wait(count, (i) => void askAs(tenant, Math.floor(i / 20), Math.floor(i / 100)))
  }
  const [, , last] = others
  assert(last)
  assert.deepEqual(await askAs(last, 25, 5), {
    status: 503,
    message: 'Too many commands at once: none ended within 1 s'
  })
  const admin = { ...world.admin, email: '', password: '' }
  await crowd.wait(1, () => void crowd.ask(last.ids[25] ?? 0, admin))
  assert.equal(crowd.waiting, 1901)
  await crowd.leave()
})
