import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { statusText } from '../support/samples.ts'
import type { Account } from '../support/world.ts'

test('after a kill, sessions and wills are used only if their owners still have the right', async (t) => {
  const first = await startTestPlatform()
  t.after(() => first.stop())
  const { world } = first
  const { installation, user: listener } = await world.site(['mqtt/#'])
  const { client_id: cid, organization_id } = installation
  const device = async (name: string, by: 'token' | 'password') => {
    const user = await world.user({ grants: ['mqtt/#'], organizations: [organization_id] })
    const will = { topic: `${cid}/obj/${name}`, payload: Buffer.from('{"value":0}') }
    await mqttClient(t, first.mqttPort, {
      username: user.email,
      password: user[by],
      will: { ...will, qos: 1, retain: true }
    })
    return user
  }
  await device('token', 'token')
  await device('password', 'password')
  const ended = {
    token: await device('token_ended', 'token'),
    password: await device('password_changed', 'password')
  }
  const sleeping = { username: 'x', password: listener.token, clientId: 'sleeper', clean: false }
  const sleeper = await mqttClient(t, first.mqttPort, sleeping)
  await sleeper.subscribe(`${cid}/#`)
  await sleeper.mqtt.endAsync()
  const admin = await mqttClient(t, first.mqttPort, { username: 'x', password: world.admin.token })
  await admin.publish(`${cid}/set/lamp`, 'on', { qos: 1, retain: true })

  const dataDir = join(temporaryDirectory(), 'left')
  cpSync(first.dataDir, dataDir, { recursive: true })
  change(dataDir, ended)
  const second = await startTestPlatform({ settings: { CARACAL_DATA_DIR: dataDir } })
  t.after(() => second.stop())

  const latest = () => statusText(second.deps, installation.id)
  await eventually(async () =>
    assert.match(await latest(), /obj\/token".*obj\/password"|obj\/password".*obj\/token"/)
  )
  const woken = await mqttClient(t, second.mqttPort, sleeping)
  await eventually(() =>
    assert.deepEqual(woken.messages.map(({ topic }) => topic).sort(), [
      `${cid}/obj/password`,
      `${cid}/obj/token`,
      `${cid}/set/lamp`
    ])
  )
  assert.doesNotMatch(await latest(), /ended|changed/)
  const another = { ...sleeping, password: world.admin.token }
  const stranger = await mqttClient(t, second.mqttPort, another)
  assert.equal(stranger.sessionPresent, false, 'it is a session of its own')
  assert.equal(woken.mqtt.connected, true)
})

test('retained messages of a deleted installation are removed, those of others stay', async (t) => {
  const first = await startTestPlatform()
  t.after(() => first.stop())
  const { world } = first
  const [gone, left] = [await world.installation(), await world.installation()]
  const admin = await mqttClient(t, first.mqttPort, { username: 'x', password: world.admin.token })
  for (const { client_id } of [gone, left]) {
    await admin.publish(`${client_id}/set/lamp`, 'on', { qos: 1, retain: true })
  }
  await world.request(`DELETE /api/v2/installation/${gone.id}`, { as: world.admin })

  const dataDir = join(temporaryDirectory(), 'left')
  cpSync(first.dataDir, dataDir, { recursive: true })
  const second = await startTestPlatform({ settings: { CARACAL_DATA_DIR: dataDir } })
  t.after(() => second.stop())
  const retained = async () => {
    const { text } = await second.world.request('GET /metrics', { as: second.world.admin })
    return /^caracal_mqtt_retained (\d+)/m.exec(text)?.[1]
  }
  await eventually(async () => assert.equal(await retained(), '1'))
})

/** Changes the registry while the platform is down. */
function change(dataDir: string, ended: { token: Account; password: Account }): void {
  const registry = new DatabaseSync(join(dataDir, 'registry.sqlite'))
  registry.prepare('delete from tokens where user_id = ?').run(ended.token.id)
  registry.prepare("update users set password_hash = 'another' where id = ?").run(ended.password.id)
  registry.close()
}
