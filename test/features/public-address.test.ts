import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { networkInterfaces } from 'node:os'
import { type TestContext, test } from 'node:test'
import { firstAddress } from '../../src/lib/host.ts'
import { makeCertificate, tlsSettings } from '../support/certificate.ts'
import { mqttClient } from '../support/mqtt.ts'
import { keyFor, lettersTo } from '../support/outbox.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { slow } from '../support/rounds.ts'

async function start(t: TestContext, settings: Record<string, string>): Promise<TestPlatform> {
  const platform = await startTestPlatform({ settings })
  t.after(() => platform.stop())
  return platform
}

/** A request with headers that `fetch` would not send. */
async function post(
  { httpPort, world }: TestPlatform,
  path: string,
  { at = '127.0.0.1', headers = {}, isSecure = false, body = '' }: Options
): Promise<Record<string, unknown>> {
  const send = isSecure ? httpsRequest : httpRequest
  const asked = send({
    ...{ host: at, port: httpPort, path, method: 'POST', agent: false },
    headers: { 'x-api-key': world.admin.token, ...headers },
    rejectUnauthorized: false
  }).end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += chunk
  assert.equal(answer.statusCode, 200, text)
  return text === '' ? {} : JSON.parse(text)
}
type Options = {
  at?: string
  headers?: Record<string, string>
  isSecure?: boolean
  body?: string
}

/** The addresses in a credential that is requested with a Host header. */
async function credential(platform: TestPlatform, options: Options) {
  const { id } = await platform.world.installation()
  const { api, aam, mqtt_broker } = await post(
    platform,
    `/api/v2/gateway/credentials/${id}`,
    options
  )
  assert.equal(aam, api)
  return { api, mqtt_broker }
}

const warnings = ({ logged }: TestPlatform) =>
  logged.filter(({ level, msg }) => level === 40 && String(msg).includes('CARACAL_PUBLIC_URL'))

for (const host of ['0.0.0.0', '::']) {
  const own = firstAddress(host, networkInterfaces())

  test(`HOST ${host}: a credential names the address of the request, a mail never does`, async (t) => {
    const platform = await start(t, { CARACAL_HOST: host })
    const { httpPort, mqttPort, world } = platform
    const asked = (name: string) => credential(platform, { headers: { host: name } })
    assert.deepEqual(await asked(`caracal.example.org:${httpPort}`), {
      api: `http://caracal.example.org:${httpPort}/lynx`,
      mqtt_broker: `caracal.example.org:${mqttPort}`
    })
    assert.deepEqual(await asked('caracal.example.org'), {
      api: 'http://caracal.example.org/lynx',
      mqtt_broker: `caracal.example.org:${mqttPort}`
    })
    assert.deepEqual(await asked('[fd00::2]:99'), {
      api: 'http://[fd00::2]:99/lynx',
      mqtt_broker: `[fd00::2]:${mqttPort}`
    })
    for (const junk of [`0.0.0.0:${httpPort}`, '[::]:1', 'x:0', 'a@b', 'a/b', 'a, b']) {
      assert.deepEqual(
        await asked(junk),
        { api: `http://${own}:${httpPort}/lynx`, mqtt_broker: `${own}:${mqttPort}` },
        junk
      )
    }
    const forwarded = { 'x-forwarded-host': 'evil.org', 'x-forwarded-proto': 'https' }
    assert.deepEqual(await credential(platform, { headers: { host: 'h:1', ...forwarded } }), {
      api: 'http://h:1/lynx',
      mqtt_broker: `h:${mqttPort}`
    })

    const { email } = await world.user()
    const headers = { host: 'evil.org', ...forwarded }
    const body = JSON.stringify({ email })
    await post(platform, '/api/v2/auth/reset_password', { headers, body })
    await keyFor(platform, email)
    const text = lettersTo(platform, email)[0]?.text ?? ''
    assert.match(
      text,
      new RegExp(`^PUT http://${own}:${httpPort}/api/v2/auth/reset_password$`, 'm')
    )
    assert.match(text, new RegExp(`^http://${own}:${httpPort}/new-password#key=[\\w-]{43}$`, 'm'))
    assert(!text.includes('evil.org'))
    assert.equal(warnings(platform).length, 1)
  })
}

test('HOST 0.0.0.0 behind a trusted proxy: the credential has the address from the proxy', async (t) => {
  const platform = await start(t, {
    CARACAL_HOST: '0.0.0.0',
    CARACAL_TRUSTED_PROXIES: '127.0.0.1'
  })
  const headers = {
    host: 'inside:1',
    'x-forwarded-host': 'caracal.example.org',
    'x-forwarded-proto': 'https'
  }
  assert.deepEqual(await credential(platform, { headers }), {
    api: 'https://caracal.example.org/lynx',
    mqtt_broker: `caracal.example.org:${platform.mqttPort}`
  })
})

test(
  'HOST 0.0.0.0 with PUBLIC_URL: the credential has PUBLIC_URL, whatever the request says, without a warning',
  slow,
  async (t) => {
    const platform = await start(t, {
      CARACAL_HOST: '0.0.0.0',
      CARACAL_PUBLIC_URL: 'https://caracal.example.org/base/'
    })
    assert.deepEqual(await credential(platform, { headers: { host: 'evil.org' } }), {
      api: 'https://caracal.example.org/base/lynx',
      mqtt_broker: `caracal.example.org:${platform.mqttPort}`
    })
    assert.deepEqual(warnings(platform), [])
  }
)

for (const [host, written] of [
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]']
] as const) {
  test(
    `HOST ${host}: the credential has this host with the real ports, whatever the request says`,
    slow,
    async (t) => {
      const platform = await start(t, { CARACAL_HOST: host })
      const { httpPort, mqttPort } = platform
      assert.deepEqual(await credential(platform, { at: host, headers: { host: 'evil.org' } }), {
        api: `http://${written}:${httpPort}/lynx`,
        mqtt_broker: `${written}:${mqttPort}`
      })
      assert.deepEqual(warnings(platform), [])
    }
  )
}

test(
  'with TLS the credential names https and the port of MQTT over TLS; MQTT_PORT=off closes the plain one',
  slow,
  async (t) => {
    const certificates = temporaryDirectory()
    makeCertificate(certificates, 'address')
    const platform = await start(t, {
      ...tlsSettings(certificates),
      CARACAL_HOST: '0.0.0.0',
      CARACAL_MQTT_PORT: 'off'
    })
    const { httpPort, mqttsPort, world } = platform
    assert(mqttsPort)
    const headers = { host: `caracal.example.org:${httpPort}` }
    assert.deepEqual(await credential(platform, { headers, isSecure: true }), {
      api: `https://caracal.example.org:${httpPort}/lynx`,
      mqtt_broker: `caracal.example.org:${mqttsPort}`
    })
    const login = { username: 'x', password: world.admin.token, rejectUnauthorized: false }
    for (const url of [`mqtts://127.0.0.1:${mqttsPort}`, `wss://127.0.0.1:${httpPort}/mqtt`]) {
      await mqttClient(t, url, login)
    }
  }
)

test(
  'MQTT_PORT=off without TLS leaves MQTT over WebSocket, and the credential says so',
  slow,
  async (t) => {
    const platform = await start(t, { CARACAL_HOST: '0.0.0.0', CARACAL_MQTT_PORT: 'off' })
    const { httpPort, world } = platform
    assert.deepEqual(await credential(platform, { headers: { host: `here:${httpPort}` } }), {
      api: `http://here:${httpPort}/lynx`,
      mqtt_broker: `ws://here:${httpPort}/mqtt`
    })
    await mqttClient(t, `ws://127.0.0.1:${httpPort}/mqtt`, {
      ...{ username: 'x', password: world.admin.token }
    })
  }
)

test('who is signed in reads where the broker is, encrypted first', async (t) => {
  const certificates = temporaryDirectory()
  makeCertificate(certificates, 'broker')
  const urlsOf = async ({ world }: TestPlatform) => {
    const { json } = await world.request('GET /api/v2/gateway/broker', { as: world.admin })
    return (json as { urls: string[] }).urls
  }
  const plain = await start(t, { CARACAL_HOST: '127.0.0.1' })
  assert.deepEqual(await urlsOf(plain), [
    `mqtt://127.0.0.1:${plain.mqttPort}`,
    `ws://127.0.0.1:${plain.httpPort}/mqtt`
  ])
  const named = await start(t, { CARACAL_MQTT_PUBLIC_URL: 'mqtts://mqtt.example.org:8883/' })
  assert.deepEqual(await urlsOf(named), ['mqtts://mqtt.example.org:8883'])
  const { address, mqttPort, mqttsPort, httpPort } = await start(t, {
    ...tlsSettings(certificates),
    CARACAL_HOST: '0.0.0.0'
  })
  const request = { host: `caracal.example.org:${httpPort}`, protocol: 'https' }
  assert.deepEqual(address.brokerUrls(request), [
    `mqtts://caracal.example.org:${mqttsPort}`,
    `mqtt://caracal.example.org:${mqttPort}`,
    `wss://caracal.example.org:${httpPort}/mqtt`
  ])
})
