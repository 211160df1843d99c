import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestPlatform } from '../support/platform.ts'

/** Ten wrong passwords from one address; answers how two callers fare after that. */
async function afterTenFailures(settings: Record<string, string>) {
  const { world, stop } = await startTestPlatform({ settings })
  try {
    const { email } = await world.user()
    const signIn = async (address: string) => {
      const authorization = `Basic ${btoa(`${email}:wrong`)}`
      const headers = { authorization, 'x-forwarded-for': address }
      return (await world.request('POST /api/v2/auth', { headers })).status
    }
    for (let i = 0; i < 10; i++) assert.equal(await signIn('192.0.2.1'), 401)
    return { same: await signIn('192.0.2.1'), other: await signIn('192.0.2.2') }
  } finally {
    await stop()
  }
}

test('behind a proxy callers are told apart by the address that it tells', async () => {
  const settings = { CARACAL_TRUSTED_PROXIES: '10.0.0.0/8,loopback' }
  assert.deepEqual(await afterTenFailures(settings), { same: 429, other: 401 })
})

test('nobody else is believed an address', async () => {
  assert.deepEqual(await afterTenFailures({}), { same: 429, other: 429 })
  const settings = { CARACAL_TRUSTED_PROXIES: '10.0.0.0/8' }
  assert.deepEqual(await afterTenFailures(settings), { same: 429, other: 429 })
})
