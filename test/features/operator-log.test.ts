import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { connectPacket, mqttClient, rawClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'

const basic = (name: string, password: string) => ({
  authorization: `Basic ${btoa(`${name}:${password}`)}`
})

describe('the log for operators', () => {
  let platform: TestPlatform
  let ahead = 0
  before(async () => {
    platform = await startTestPlatform({
      clock: () => unixMs(Date.now() + ahead),
      settings: { CARACAL_LOG_LEVEL: 'debug', CARACAL_SYSTEM_ACCOUNTS: 'push:a long password' }
    })
  })
  after(() => platform.stop())

  const lines = (text: RegExp) => platform.logged.filter(({ msg }) => text.test(String(msg)))
  /** The lines that came while `work` ran, without what is the same in all lines. */
  const during = async (text: RegExp, work: () => Promise<unknown>) => {
    const before = lines(text).length
    await work()
    return lines(text)
      .slice(before)
      .map(({ time, pid, hostname, msg, ...fields }) => fields)
  }
  const nextMinute = () => {
    ahead += 61_000
  }
  const failed = /^a sign-in failed/
  const figure = async (name: string) => {
    const { world } = platform
    const { text } = await world.request('GET /metrics', { as: world.admin })
    const line = text.split('\n').find((line) => line.startsWith(`${name} `))
    return Number(line?.split(' ').at(-1))
  }

  test('has a failed sign-in with account and address, once a minute, and the metrics have all', async () => {
    const { world } = platform
    const { email } = await world.user()
    const name = 'caracal_sign_ins_failed_total{over="http",reason="refused"}'
    const counted = await figure(name)
    const wrong = () => world.request('POST /api/v2/auth', { headers: basic(email, 'wrong') })
    const account = { level: 40, over: 'http', account: email, address: '127.0.0.1' }
    nextMinute()
    const first = await during(failed, async () => {
      for (let i = 0; i < 3; i++) assert.equal((await wrong()).status, 401)
    })
    assert.deepEqual(first, [{ ...account, reason: 'refused', failed: 1 }])
    nextMinute()
    assert.deepEqual(await during(failed, wrong), [{ ...account, reason: 'refused', failed: 3 }])
    assert.equal(await figure(name), counted + 4)
    for (let i = 0; i < 6; i++) await wrong()
    nextMinute()
    const [throttled] = await during(failed, async () => {
      assert.equal((await wrong()).status, 429)
    })
    assert.equal(throttled?.['reason'], 'throttled')
    assert.equal(await figure('caracal_sign_ins_failed_total{over="http",reason="throttled"}'), 1)
  })

  test('has a failed sign-in on every way: Basic, a key, a system account, a gateway, a second factor', async () => {
    const { world } = platform
    const { id, client_id } = await world.installation()
    const user = await world.user({ mobile: '+46701234567', sms_login: true })
    const gateway = String(client_id)
    const ways: [string, Record<string, string>, string][] = [
      ['GET /api/v2/user/me', basic('nobody@example.org', 'x'), 'nobody@example.org'],
      ['GET /api/v2/user/me', { 'x-api-key': 'made up' }, '(key)'],
      ['GET /api/v2/user/me', { authorization: 'Bearer made-up' }, '(key)'],
      ['GET /api/v2/mobile/1', basic('push', 'wrong'), 'push'],
      [`POST /api/v2/gateway/verify/${id}`, basic(gateway, 'wrong password'), gateway]
    ]
    for (const [line, headers, account] of ways) {
      nextMinute()
      const told = await during(failed, () => world.request(line, { headers, body: undefined }))
      assert.deepEqual(
        told.map((fields) => fields['account']),
        [account],
        line
      )
    }
    nextMinute()
    const signIn = await world.request('POST /api/v2/auth', {
      headers: basic(user.email, user.password)
    })
    const { token } = signIn.json as { token: string }
    const told = await during(failed, () =>
      world.request('PUT /api/v2/auth', { as: { token }, body: { challenge: 'x' } })
    )
    assert.deepEqual(
      told.map(({ account }) => account),
      [`user ${user.id}`]
    )
    assert(!JSON.stringify(platform.logged).includes(token), 'no line has the token')
  })

  test('has nothing about a request without credentials, and no key that is in the place of a name', async () => {
    const { world } = platform
    nextMinute()
    assert.deepEqual(await during(failed, () => world.request('GET /api/v2/user/me')), [])
    const key = 'Zm9vYmFyYmF6cXV4LXRoaXMtaXMtYS1zZWNyZXQta2V5'
    const told = await during(failed, () =>
      world.request('GET /api/v2/user/me', { headers: basic(key, '') })
    )
    assert.equal(told[0]?.['account'], 'Zm9v...')
    assert(!JSON.stringify(platform.logged).includes(key))
  })

  test('has at most 60 lines a minute about failed sign-ins, and says how many there were', async () => {
    const { deps } = platform
    nextMinute()
    const told = await during(failed, async () => {
      for (let i = 0; i < 100; i++) {
        const address = `198.51.100.${i}`
        deps.failedSignIns.note({ over: 'mqtt', reason: 'refused', account: 'eva', address })
      }
    })
    assert.equal(told.length, 60)
    nextMinute()
    const [line] = await during(failed, async () =>
      deps.failedSignIns.note({ over: 'mqtt', reason: 'refused', account: 'eva', address: '' })
    )
    assert.equal(line?.['failed'], 41)
  })

  test('has a failed MQTT sign-in', async (t) => {
    nextMinute()
    const counted = await figure('caracal_sign_ins_failed_total{over="mqtt",reason="refused"}')
    const told = await during(failed, () =>
      assert.rejects(
        mqttClient(t, platform.mqttPort, { username: 'eva@example.org', password: 'wrong' })
      )
    )
    const fields = { over: 'mqtt', reason: 'refused', account: 'eva@example.org' }
    assert.deepEqual(told, [{ level: 40, ...fields, address: '127.0.0.1', failed: 1 }])
    const now = await figure('caracal_sign_ins_failed_total{over="mqtt",reason="refused"}')
    assert.equal(now, counted + 1)
  })

  test('has refused messages once a minute and reason, with the ledger to read, and without their text', async () => {
    const { world } = platform
    const { installation, user } = await world.site(['mqtt/publish/all'])
    const topic = `${installation.client_id}/obj/secret-lamp`
    const refused = /^messages were refused/
    const client = await world.mqtt(user)
    nextMinute()
    const first = await during(refused, async () => {
      for (let i = 0; i < 3; i++) await client.publish(topic, 'not json', { qos: 1 })
      await client.publish(topic, '{"value":"x"}', { qos: 1 })
    })
    const line = { level: 40, sender: `user:${user.id}`, refused: 1 }
    const look = `GET /api/v2/ledger/${installation.id}`
    assert.deepEqual(first, [
      { ...line, reason: 'not json', look },
      { ...line, reason: 'no numeric value', look }
    ])
    nextMinute()
    const next = await during(refused, () => client.publish(topic, 'not json', { qos: 1 }))
    assert.deepEqual(next, [{ ...line, reason: 'not json', refused: 3, look }])
    assert(!JSON.stringify(lines(refused)).includes('secret-lamp'))
    const { status, json } = await world.request(look, { as: world.admin })
    assert.deepEqual([status, (json as unknown[]).length], [200, 5])
    const unknown = await during(refused, () =>
      client.publish('999999/obj/x', '{"value":1}', { qos: 1 })
    )
    assert.deepEqual(
      unknown.map(({ reason, look }) => [reason, look]),
      [['unknown client id', 'GET /api/v2/ledger']]
    )
  })

  test('has refused MQTT versions once a minute', async (t) => {
    nextMinute()
    const told = await during(/^an MQTT client was refused/, async () => {
      for (let i = 0; i < 2; i++) {
        const client = await rawClient(t, platform.mqttPort)
        client.send(connectPacket({ level: 6 }))
        await eventually(() => assert.ok(client.isClosed()))
      }
    })
    assert.deepEqual(told, [{ level: 40, address: '127.0.0.1', version: 6, refused: 1 }])
  })

  test('has connects and disconnects at debug', async () => {
    const { world } = platform
    const user = await world.user({ grants: ['mqtt/#'] })
    const came = await during(/^an MQTT client connected/, async () => {
      const client = await world.mqtt(user, { clientId: 'box 7' })
      await client.mqtt.endAsync()
    })
    const fields = { level: 20, client: 'box 7', owner: `user:${user.id}`, address: '127.0.0.1' }
    assert.deepEqual(came, [fields])
    await eventually(() => {
      const gone = lines(/^an MQTT client disconnected/).filter(({ client }) => client === 'box 7')
      assert.equal(gone.length, 1)
    })
  })
})
