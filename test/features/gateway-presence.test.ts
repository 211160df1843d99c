import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

type State = { connected: boolean; since?: number }
type Fresh = { installation_id: number; gateway?: State }
type Caller = { token: string }

async function states(world: World, as: Caller): Promise<Fresh[]> {
  const { json } = await world.request('GET /api/v2/status', { as })
  return json as Fresh[]
}

const stateOf = async (world: World, id: number, as: Caller = world.admin) =>
  (await states(world, as)).find(({ installation_id }) => installation_id === id)?.gateway

async function credentialOf(world: World, id: number) {
  const line = `POST /api/v2/gateway/credentials/${id}`
  const { json } = await world.request(line, { as: world.admin })
  const { mqtt_username, mqtt_password } = json as Record<string, string>
  return { username: mqtt_username, password: mqtt_password }
}

const nobody = { token: '' }
const now = () => Date.now() / 1000
const isSoon = (since: number | undefined) => assert.ok(Math.abs((since ?? 0) - now()) < 30)

describe('whether the gateway is connected', () => {
  const { platform } = withPlatform()

  test('by its credential, and since when', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['status/read/all', 'mqtt/#'])
    const { id } = installation
    await world.mqtt(user)
    assert.equal(await stateOf(world, id), undefined, 'a user is no gateway')
    const credential = await credentialOf(world, id)
    await eventually(async () =>
      assert.deepEqual(await stateOf(world, id), { connected: false }, 'it is expected')
    )
    const gateway = await world.mqtt(nobody, credential)
    await eventually(async () => assert.equal((await stateOf(world, id, user))?.connected, true))
    isSoon((await stateOf(world, id))?.since)
    const second = await world.mqtt(nobody, credential)
    await gateway.mqtt.endAsync()
    assert.equal((await stateOf(world, id))?.connected, true, 'another connection is left')
    await second.mqtt.endAsync()
    await eventually(async () => assert.equal((await stateOf(world, id))?.connected, false))
    isSoon((await stateOf(world, id))?.since)
    const stranger = await world.user({ grants: ['status/read/all'] })
    assert.deepEqual(await states(world, stranger), [])
  })

  test('by its client id, if an edge client signs in with a key', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/#', 'status/read/all'])
    const clientId = `edge-${installation.client_id}`
    const edge = await world.mqtt(user, { clientId })
    await eventually(async () =>
      assert.equal((await stateOf(world, installation.id))?.connected, true)
    )
    const again = await world.mqtt(user, { clientId })
    await eventually(() => assert.equal(edge.mqtt.connected, false))
    assert.equal((await stateOf(world, installation.id))?.connected, true)
    await again.mqtt.endAsync()
    await eventually(async () =>
      assert.equal((await stateOf(world, installation.id))?.connected, false)
    )
  })

  test('a credential that is taken away ends the connection, and that is seen', async () => {
    const { world } = platform()
    const { id } = await world.installation()
    await world.mqtt(nobody, { ...(await credentialOf(world, id)), reconnectPeriod: 0 })
    await eventually(async () => assert.equal((await stateOf(world, id))?.connected, true))
    await credentialOf(world, id)
    await eventually(async () => assert.equal((await stateOf(world, id))?.connected, false))
    const user = await world.user({ grants: ['gateway/reset/password/assigned'], assigned: [id] })
    await world.request(`POST /api/v2/gateway/reset/${id}`, { as: user })
    await eventually(async () => assert.equal(await stateOf(world, id), undefined))
  })
})

test('after a restart it is known when a gateway with a kept session left', slow, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-gateways-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const settings = { CARACAL_DATA_DIR: dataDir }
  const first = await startTestPlatform({ settings })
  const [kept, clean, none] = [1, 2, 3].map(() => first.world.installation({ organization_id: 1 }))
  const ids = { kept: (await kept)?.id ?? 0, clean: (await clean)?.id ?? 0, none: (await none)?.id }
  const options = { clientId: 'box', clean: false }
  const gateway = await first.world.mqtt(nobody, {
    ...(await credentialOf(first.world, ids.kept)),
    ...options
  })
  await credentialOf(first.world, ids.clean)
  await gateway.mqtt.endAsync()
  await eventually(async () =>
    assert.equal((await stateOf(first.world, ids.kept))?.connected, false)
  )
  const left = await stateOf(first.world, ids.kept)
  await first.stop()

  const second = await startTestPlatform({ settings })
  t.after(() => second.stop())
  const { world } = second
  assert.equal((await stateOf(world, ids.kept))?.connected, false)
  const since = (await stateOf(world, ids.kept))?.since ?? 0
  assert.ok(Math.abs(since - (left?.since ?? 0)) < 5, `${since}`)
  assert.deepEqual(await stateOf(world, ids.clean), { connected: false })
  assert.equal(await stateOf(world, ids.none ?? 0), undefined)
})
