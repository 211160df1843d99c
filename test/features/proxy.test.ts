import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

/** The answer to a wrong password, sent by a proxy that gives this address. */
type SignIn = (
  t: TestContext,
  to: TestPlatform,
  email: string,
  forwarded: string
) => Promise<number>

const overHttp: SignIn = async (_, { world }, email, forwarded) => {
  const authorization = `Basic ${btoa(`${email}:wrong`)}`
  const headers = { authorization, 'x-forwarded-for': forwarded }
  return (await world.request('POST /api/v2/auth', { headers })).status
}

const overWebSocket: SignIn = async (t, { httpPort }, email, forwarded) => {
  const refused = mqttClient(t, `ws://127.0.0.1:${httpPort}/mqtt`, {
    username: email,
    password: 'wrong',
    wsOptions: { headers: { 'x-forwarded-for': forwarded } }
  })
  return refused.then(
    () => assert.fail('it is signed in'),
    ({ code }) => code
  )
}

const transports = [
  { name: 'HTTP', signIn: overHttp, wrong: 401, throttled: 429 },
  // [MQTT 3.2.2.3] bad user name or password, server unavailable.
  { name: 'WebSocket', signIn: overWebSocket, wrong: 4, throttled: 3 }
]

for (const { name, signIn, wrong, throttled } of transports) {
  /** Sends ten wrong passwords from one address; returns the answers to two callers after that. */
  const afterTenFailures = async (t: TestContext, proxies: string) => {
    const platform = await startTestPlatform({ settings: { CARACAL_TRUSTED_PROXIES: proxies } })
    try {
      const { email } = await platform.world.user()
      const from = (forwarded: string) => signIn(t, platform, email, forwarded)
      for (let i = 0; i < 10; i++) assert.equal(await from('192.0.2.1'), wrong)
      return {
        same: await from('192.0.2.1'),
        // The text of the caller comes before the address that the proxy adds.
        lying: await from('192.0.2.3, 192.0.2.1'),
        other: await from('192.0.2.2')
      }
    } finally {
      await platform.stop()
    }
  }

  test(`${name}: callers behind a trusted proxy are distinguished by the address that the proxy gives`, async (t) => {
    assert.deepEqual(await afterTenFailures(t, '10.0.0.0/8,loopback'), {
      ...{ same: throttled, lying: throttled, other: wrong }
    })
  })

  test(`${name}: an address from any other caller is ignored`, slow, async (t) => {
    assert.deepEqual(await afterTenFailures(t, '10.0.0.0/8'), {
      ...{ same: throttled, lying: throttled, other: throttled }
    })
  })

  test(`${name}: without trusted proxies every address is ignored`, slow, async (t) => {
    assert.deepEqual(await afterTenFailures(t, ''), {
      ...{ same: throttled, lying: throttled, other: throttled }
    })
  })
}
