import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type Received, startExecutor } from '../support/executor.ts'
import { onRegistryMatrix, onSqlite } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const base = '/api/v2/notification'
const admin = '/api/v2/admin/notification/executor'
const opened = { CARACAL_NOTIFY_PRIVATE_NETWORKS: '127.0.0.1' }

type Executor = Awaited<ReturnType<typeof startExecutor>>

async function ask(world: World, line: string, body?: unknown) {
  const answer = await world.request(line, { as: world.admin, body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json as { id: number }
}

type Made = { text?: string; config?: object; secret?: string; url: string; zone?: string }

/** An installation with all fields set, and an output whose executor is at the address. */
async function makeOutput(world: World, { text = 'Hi', config = {}, secret, url, zone }: Made) {
  const { organization_id } = await world.installation()
  await ask(world, `PUT /api/v2/organization/${organization_id}`, {
    name: 'Home & <Co>',
    address: { address: 'Storgatan 1', city: 'Lund', country: 'SE', zip: '222 22' },
    email: 'home@example.org',
    phone: '+46',
    notes: 'organization notes',
    meta: { open: 'organization meta' },
    protected_meta: { hidden: 'organization protected' }
  })
  const installation = await world.installation({
    organization_id,
    name: 'Summer house',
    notes: 'installation notes',
    meta: { open: 'installation meta' },
    protected_meta: { hidden: 'installation protected' },
    ...(zone && { timezone: zone })
  })
  const at = `${base}/${installation.id}`
  const message = await ask(world, `POST ${at}/message`, { name: 'Alarm', text })
  const executor = await ask(world, `POST ${admin}`, {
    name: 'Mail',
    type: 'smtp',
    organization_id,
    config: { url, from: 'caracal {{.x}}' },
    ...(secret && { secret })
  })
  const output = await ask(world, `POST ${at}/output`, {
    name: 'To me',
    notification_message_id: message.id,
    notification_output_executor_id: executor.id,
    config
  })
  const send = `POST ${at}/output/${output.id}/send`
  return { installation, organization_id, at, message, executor, output, send }
}

const messageOf = ({ json }: { json: unknown }) => (json as { message: string }).message

onRegistryMatrix('sending a notification', (engine) => {
  const { platform } = withPlatform(engine, { settings: opened })
  let executor: Executor
  /** The next answers of the executor. */
  let answer: (response: ServerResponse, received: Received) => unknown
  before(async () => {
    executor = await startExecutor((response, received) => answer(response, received))
  })
  after(() => executor.stop())
  const begin = () => {
    executor.received.length = 0
    answer = (response) => response.end('{}')
  }

  test('sends exactly these bytes to the executor', async () => {
    begin()
    const { world } = platform()
    const given = await makeOutput(world, {
      url: `${executor.url}/notify?x=1`,
      secret: 'a secret~',
      text: '{{.installation.Name}} ({{.organization.Name}}): {{.payload.value}}{{.payload.unit}}',
      config: { subject: 'From {{.installation.ID}}', recipients: 'a@example.org' }
    })
    const payload = '{"value":24.5,"unit":"°C","list":[1,null,{"a":true}]}'
    const published = await world.published(async () => {
      const sent = await world.request(given.send, {
        as: world.admin,
        body: payload,
        headers: { 'content-type': 'text/plain' }
      })
      assert.deepEqual([sent.status, sent.json], [200, { message: 'Sent' }])
    })
    assert.deepEqual(published, [])
    const [got, ...more] = executor.received
    assert(got && more.length === 0)
    assert.equal(got.method, 'POST')
    assert.equal(got.url, '/notify?x=1')
    assert.deepEqual(got.headers, {
      host: `127.0.0.1:${executor.port}`,
      connection: 'close',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(got.body)),
      'x-api-key': 'a secret~'
    })
    const { id, client_id } = given.installation
    const organization = given.organization_id
    assert.equal(
      got.body,
      `{"message":"Summer house (Home & <Co>): 24.5°C",` +
        `"output_config":{"subject":"From ${id}","recipients":"a@example.org"},` +
        `"executor_config":{"url":"${executor.url}/notify?x=1","from":"caracal {{.x}}"},` +
        `"installation":{"id":${id},"name":"Summer house","client_id":${client_id},"organization_id":${organization}},` +
        `"organization":{"id":${organization},"name":"Home & <Co>",` +
        `"address":{"address":"Storgatan 1","city":"Lund","country":"SE","zip":"222 22"},` +
        `"email":"home@example.org","phone":"+46","notes":"organization notes"},` +
        `"payload":${payload}}`
    )
  })

  test('uses the time zone of the installation, and prints missing values as such', async () => {
    begin()
    const { world } = platform()
    const text =
      '{{with toTime .payload.timestamp}}{{.Format "2006-01-02 15:04:05"}}{{end}} {{.payload.missing}}'
    const given = await makeOutput(world, { url: executor.url, text, zone: 'Europe/Stockholm' })
    const body = { timestamp: 1_700_000_000 }
    const sent = await world.request(given.send, { as: world.admin, body })
    assert.equal(sent.status, 200, sent.text)
    const { message } = JSON.parse(executor.received[0]?.body ?? '')
    assert.equal(message, '2023-11-14 23:13:20 <no value>')
  })

  test('needs no payload and no secret', async () => {
    begin()
    const { world } = platform()
    const given = await makeOutput(world, { url: executor.url })
    for (const body of [undefined, '', 'null', '{}', '  ']) {
      const sent = await world.request(given.send, { as: world.admin, body })
      assert.equal(sent.status, 200, `${body} ${sent.text}`)
    }
    assert.equal(executor.received.length, 5)
    for (const { headers, body } of executor.received) {
      assert(!('x-api-key' in headers))
      assert.deepEqual(JSON.parse(body).payload, {})
    }
  })

  test('sends no metadata to the executor, whatever a template contains', async () => {
    begin()
    const { world } = platform()
    const words = ['Meta', 'ProtectedMeta', 'meta', 'protected_meta', 'Notes', 'notes', 'Users']
    const names = ['installation', 'organization'].flatMap((one) =>
      words.map((word) => `{{.${one}.${word}}}`)
    )
    const text = `${names.join(' ')} {{.}} {{.installation}} {{.secret}} {{.executor}} {{.user}}`
    const config = { all: '{{.}}', meta: '{{range $k, $v := .installation}}{{$k}} {{end}}' }
    const given = await makeOutput(world, { url: executor.url, text, config, secret: 'abc123' })
    assert.equal((await world.request(given.send, { as: world.admin })).status, 200)
    const { body = '' } = executor.received[0] ?? {}
    for (const word of ['protected', 'installation meta', 'organization meta', 'abc123']) {
      assert(!body.includes(word), word)
    }
    assert(!body.includes('installation notes'))
    assert.equal(JSON.parse(body).output_config.meta, 'ClientID ID Name ')
  })

  const refused: [string, string, string][] = [
    ['a list', '[1]', 'body must be a JSON object'],
    ['text', '"x"', 'body must be a JSON object'],
    ['a number', '5', 'body must be a JSON object'],
    ['no JSON', '{', 'body is not valid JSON'],
    ['too deep a payload', `{"a":${'['.repeat(50)}${']'.repeat(50)}}`, 'body is nested too deep']
  ]
  test('is refused if the payload is not an object', async () => {
    begin()
    const { world } = platform()
    const given = await makeOutput(world, { url: executor.url })
    for (const [what, body, message] of refused) {
      const sent = await world.request(given.send, { as: world.admin, body })
      assert.deepEqual([sent.status, messageOf(sent)], [400, message], what)
    }
    const large = JSON.stringify({ x: 'x'.repeat(70_000) })
    assert.equal((await world.request(given.send, { as: world.admin, body: large })).status, 413)
    assert.deepEqual(executor.received, [])
  })

  test('is refused if a template fails, and the message says where', async () => {
    begin()
    const { world } = platform()
    const text = 'a\n{{if gt .payload.value 30.0}}hot{{end}}'
    const given = await makeOutput(world, { url: executor.url, text })
    const one = await world.request(given.send, { as: world.admin, body: { value: 'warm' } })
    assert.deepEqual(
      [one.status, messageOf(one)],
      [400, 'text: line 2: string and float64 have no order']
    )
    const config = { ok: '', subject: '{{range 1000000000}}{{end}}' }
    await ask(world, `PUT ${given.at}/output/${given.output.id}`, { config })
    const two = await world.request(given.send, { as: world.admin, body: { value: 31 } })
    assert.deepEqual(
      [two.status, messageOf(two)],
      [400, 'config.subject: line 1: it takes too long']
    )
    assert.deepEqual(executor.received, [])
  })

  test('of another installation’s output is not found', async () => {
    begin()
    const { world } = platform()
    const given = await makeOutput(world, { url: executor.url })
    const other = await makeOutput(world, { url: executor.url })
    for (const id of [other.output.id, 999_999]) {
      const line = `POST ${given.at}/output/${id}/send`
      const sent = await world.request(line, { as: world.admin, body: {} })
      assert.deepEqual([sent.status, messageOf(sent)], [404, 'Not found'])
    }
    assert.deepEqual(executor.received, [])
  })

  test('fails when the installation moves to a place without its executor', async () => {
    begin()
    const { world } = platform()
    const given = await makeOutput(world, { url: executor.url })
    const { organization_id } = await world.installation()
    const at = `PUT /api/v2/installation/${given.installation.id}?silent=true`
    await ask(world, at, { organization_id })
    const sent = await world.request(given.send, { as: world.admin })
    assert.deepEqual(
      [sent.status, messageOf(sent)],
      [409, 'the executor no longer belongs to the installation']
    )
    assert.deepEqual(executor.received, [])
  })

  test('works for the gateway of the installation, which sees nothing else of it', async () => {
    begin()
    const { world } = platform()
    const given = await makeOutput(world, { url: executor.url })
    const other = await makeOutput(world, { url: executor.url })
    const line = `POST /api/v2/gateway/credentials/${given.installation.id}`
    const { mqtt_username, mqtt_password } = (await world.request(line, { as: world.admin }))
      .json as Record<string, string>
    const headers = { authorization: `Basic ${btoa(`${mqtt_username}:${mqtt_password}`)}` }
    assert.equal((await world.request(given.send, { headers, body: { a: 1 } })).status, 200)
    const closed = [
      other.send,
      `GET ${given.at}/output`,
      `GET ${given.at}/output/${given.output.id}`,
      `GET ${given.at}/message`,
      `GET ${given.at}/executor`,
      `GET ${admin}`
    ]
    for (const one of closed) assert.equal((await world.request(one, { headers })).status, 403, one)
    assert.equal(executor.received.length, 1)
  })

  describe('to an executor that', () => {
    type Fault = [what: string, how: typeof answer, message: string]
    const faults: Fault[] = [
      ['answers 500', (r) => r.writeHead(500).end('inner secrets'), 'the executor answered 500'],
      ['answers 404', (r) => r.writeHead(404).end(), 'the executor answered 404'],
      [
        'sends it elsewhere',
        (r) => r.writeHead(302, { location: `${executor.url}/elsewhere` }).end(),
        'the executor answered 302'
      ],
      [
        'sends it elsewhere for good',
        (r) => r.writeHead(308, { location: `${executor.url}/elsewhere` }).end(),
        'the executor answered 308'
      ],
      ['hangs up', (r) => r.destroy(), 'the executor could not be reached'],
      [
        'speaks no HTTP',
        (r) => r.socket?.end('hello\r\n\r\n'),
        'the executor could not be reached'
      ],
      [
        'changes the protocol',
        (r) => r.socket?.end('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
        'the executor could not be reached'
      ],
      [
        'has endless headers',
        (r) => r.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
        'the executor could not be reached'
      ]
    ]
    for (const [what, how, message] of faults) {
      test(`${what}: 502, once, and nothing of the answer`, async () => {
        begin()
        answer = how
        const { world } = platform()
        const given = await makeOutput(world, { url: executor.url })
        const sent = await world.request(given.send, { as: world.admin, body: {} })
        assert.deepEqual([sent.status, sent.json], [502, { message }])
        assert.equal(executor.received.length, 1)
        const sends = await ask(world, `GET ${given.at}/output/${given.output.id}/sends`)
        const [{ outcome, sent: at }] = sends as unknown as [{ outcome: string; sent: number }]
        assert.equal(`the executor ${outcome}`, message)
        assert(Math.abs(at - Date.now() / 1000) < 60)
      })
    }
    test('answers any 2xx is a success, however long the answer is', async () => {
      const { world } = platform()
      const given = await makeOutput(world, { url: executor.url })
      const huge = (response: ServerResponse) => {
        response.writeHead(200)
        const chunk = Buffer.alloc(64 * 1024, 'x')
        const more = () => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      }
      const goods: [string, typeof answer][] = [
        ['201', (r) => r.writeHead(201).end('x')],
        ['202', (r) => r.writeHead(202).end()],
        ['204', (r) => r.writeHead(204).end()],
        ['endless', huge]
      ]
      for (const [what, how] of goods) {
        begin()
        answer = how
        const began = performance.now()
        const sent = await world.request(given.send, { as: world.admin, body: {} })
        assert.equal(sent.status, 200, `${what} ${sent.text}`)
        assert(performance.now() - began < 5000, what)
      }
    })
    test('is not there, by address and by name', async () => {
      begin()
      const { world } = platform()
      const { port, stop } = await startExecutor()
      stop()
      for (const url of [`http://127.0.0.1:${port}/`, 'http://nobody.invalid/']) {
        const given = await makeOutput(world, { url })
        const sent = await world.request(given.send, { as: world.admin, body: {} })
        assert.deepEqual([sent.status, messageOf(sent)], [502, 'the executor could not be reached'])
        assert(!/ECONN|ENOTFOUND|127\.0/.test(sent.text))
      }
    })
    test('has a name that now leads to this network', async () => {
      begin()
      const { world, deps } = platform()
      const given = await makeOutput(world, { url: executor.url })
      // As if it was saved before the check, or its name leads here now.
      for (const url of [
        'http://[::1]:1/',
        'http://10.0.0.1/',
        'http://0.0.0.0/',
        'http://2130706434/'
      ]) {
        await deps.registry
          .updateTable('notification_executors')
          .set({ config: JSON.stringify({ url }) })
          .where('id', '=', given.executor.id)
          .execute()
        const sent = await world.request(given.send, { as: world.admin, body: {} })
        assert.deepEqual(
          [sent.status, messageOf(sent)],
          [502, 'the executor has an address that is not allowed'],
          url
        )
      }
    })
  })

  test('is counted, logged without secrets, and stored', async () => {
    begin()
    const { world, logged, deps } = platform()
    const given = await makeOutput(world, { url: executor.url, secret: 'topsecret' })
    const before = logged.length
    const count = async (outcome: string) => {
      const line = `caracal_notifications_total{outcome="${outcome}"} `
      const found = (await deps.metrics.read()).split('\n').find((one) => one.startsWith(line))
      return Number(found?.slice(line.length) ?? 0)
    }
    const [sent, answered] = [await count('sent'), await count('answered')]
    await world.request(given.send, { as: world.admin, body: { secret: 'payload' } })
    answer = (response) => response.writeHead(503).end()
    await world.request(given.send, { as: world.admin, body: {} })
    assert.deepEqual([await count('sent'), await count('answered')], [sent + 1, answered + 1])
    const lines = logged.slice(before).filter(({ msg }) => msg === 'notification')
    assert.deepEqual(
      lines.map(({ installation_id, output_id, executor_id, outcome }) => ({
        installation_id,
        output_id,
        executor_id,
        outcome
      })),
      ['sent', 'answered 503'].map((outcome) => ({
        installation_id: given.installation.id,
        output_id: given.output.id,
        executor_id: given.executor.id,
        outcome
      }))
    )
    const text = JSON.stringify(logged.slice(before))
    assert(!/topsecret|"payload"/.test(text), text)
    const sends = await ask(world, `GET ${given.at}/output/${given.output.id}/sends`)
    assert.deepEqual(
      (sends as unknown as { outcome: string }[]).map(({ outcome }) => outcome).sort(),
      ['answered 503', 'sent']
    )
  })

  test('works the same under /lynx, with the same limit', async () => {
    begin()
    const { world } = platform()
    const given = await makeOutput(world, { url: executor.url })
    const lynx = given.send.replace(' ', ' /lynx')
    const sent = await world.request(lynx, { as: world.admin, body: {} })
    assert.deepEqual([sent.status, sent.json], [200, { message: 'Sent' }])
    const keys = async (path: string) =>
      ((await ask(world, `GET /lynx${given.at}/${path}`)) as unknown as object[]).map((one) =>
        Object.keys(one).sort()
      )
    assert.deepEqual(await keys('message'), [['id', 'installation_id', 'name', 'text']])
    assert.deepEqual(await keys('output'), [
      [
        'config',
        'id',
        'installation_id',
        'name',
        'notification_message_id',
        'notification_output_executor_id'
      ]
    ])
    assert.deepEqual((await keys('executor')).at(-1), [
      'config',
      'id',
      'name',
      'organization_id',
      'type'
    ])
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) {
      const line = i % 2 ? lynx : given.send
      statuses.push((await world.request(line, { as: world.admin, body: {} })).status)
    }
    assert.deepEqual(statuses, [...Array(59).fill(200), 429])
    const late = await world.request(given.send, { as: world.admin, body: {} })
    assert.deepEqual([late.status, messageOf(late)], [429, 'Too many notifications'])
    const wait = Number(late.headers.get('retry-after'))
    assert(wait >= 1 && wait <= 60, String(wait))
    // None of the others waits.
    const other = await makeOutput(world, { url: executor.url })
    assert.equal((await world.request(other.send, { as: world.admin })).status, 200)
    assert.equal(executor.received.length, 61)
  })
})

onSqlite('notifications to a slow executor', (engine) => {
  const { platform } = withPlatform(engine, { settings: opened })

  test('end after ten seconds, and only a few wait at once', slow, async (t) => {
    const executor = await startExecutor(() => {})
    t.after(() => executor.stop())
    const { world } = platform()
    const given = await makeOutput(world, { url: executor.url })
    const began = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => world.request(given.send, { as: world.admin, body: {} }))
    )
    const took = performance.now() - began
    assert(took > 9000 && took < 30_000, String(took))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [429, 429, 502, 502, 502, 502])
    const late = answers.find(({ status }) => status === 502)
    assert.equal(late && messageOf(late), 'the executor did not answer within 10 seconds')
    assert.equal(executor.received.length, 4)
  })

  test('do not delay a stop of the platform', async (t) => {
    const executor = await startExecutor(() => {})
    t.after(() => executor.stop())
    const { world, stop } = platform()
    const given = await makeOutput(world, { url: executor.url })
    const sending = world.request(given.send, { as: world.admin, body: {} })
    while (executor.received.length === 0) await new Promise((done) => setTimeout(done, 5))
    const began = performance.now()
    const [sent] = await Promise.all([sending.catch(() => undefined), stop()])
    assert(performance.now() - began < 9500)
    if (sent) assert.equal(sent.status, 502)
  })
})
