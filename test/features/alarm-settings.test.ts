import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newBrowser } from '../support/push-service.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account } from '../support/world.ts'

const full = {
  severities: ['warning', 'critical'],
  channels: ['mail', 'push', 'webhook'],
  quiet: { from: '22:00', to: '07:00' },
  digest: '08:00',
  escalate: null,
  webhook: 'https://93.184.216.34/hook'
}
const none = {
  ...{ severities: [], channels: [], quiet: null, digest: '', escalate: null, webhook: '' }
}

onRegistryMatrix('settings of alarms', (engine) => {
  const { platform } = withPlatform(engine)
  const ask = async (as: Account, line: string, body?: unknown) => {
    const { status, json } = await platform().world.request(line, { as, body })
    return { status, json: json as Record<string, unknown> }
  }
  const put = (as: Account, body: unknown, id: number | 'me' = 'me') =>
    ask(as, `PUT /api/v2/user/${id}/alarm`, body)

  test('a user reads and stores own settings; nothing is told before', async () => {
    const user = await platform().world.user()
    const read = () => ask(user, 'GET /api/v2/user/me/alarm')
    assert.deepEqual(await read(), { status: 200, json: none })
    assert.deepEqual(await put(user, full), { status: 200, json: full })
    assert.deepEqual(await read(), { status: 200, json: full })
    const few = { severities: ['critical'], channels: ['mail'] }
    const twice = { ...few, severities: ['critical', 'critical'] }
    assert.deepEqual(await put(user, twice), { status: 200, json: { ...none, ...few } })
    assert.deepEqual(await read(), { status: 200, json: { ...none, ...few } })
  })

  for (const [change, message] of [
    [{ severities: ['fatal'] }, /^severities.0 must be info or warning or critical$/],
    [{ severities: ['info', 'info', 'info', 'info'] }, /^severities must /],
    [{ channels: ['fax'] }, /^channels.0 must be mail or sms or push or webhook$/],
    [{ channels: 'mail' }, /^channels must be /],
    [{ quiet: { from: '22:00' } }, /^quiet.to is required$/],
    [{ quiet: { from: '22:00', to: '24:00' } }, /^quiet.to must be a time such as 07:00$/],
    [{ quiet: { from: '22:00', to: '22:00' } }, /^quiet.to must differ from quiet.from$/],
    [{ digest: '8:00' }, /^digest must be a time such as 08:00, or empty/],
    [{ digest: '23:30' }, /^digest must not lie in the quiet hours$/],
    [{ digest: '06:59' }, /^digest must not lie in the quiet hours$/],
    [{ escalate: { after: '59s', user_id: 1 } }, /^escalate.after must be a time from 1m to 7d$/],
    [{ escalate: { after: '8d', user_id: 1 } }, /^escalate.after must be a time from 1m to 7d$/],
    [
      { escalate: { after: 'soon', user_id: 1 } },
      /^escalate.after must be a time from 1m to 7d, such as 15m$/
    ],
    [{ escalate: { after: '15m', user_id: 987_654 } }, /^escalate.user_id does not exist$/],
    [{ escalate: { after: '15m', user_id: 1 } }, /^escalate.user_id does not exist$/],
    [{ webhook: '' }, /^webhook is required for the channel webhook$/],
    [{ webhook: 'ftp://example.org' }, /^webhook must begin with http:\/\/ or https:\/\/$/],
    [{ webhook: 'http://127.0.0.1/x' }, /^webhook must not lead to an address that is not public/],
    [{ webhook: 'https://a:b@example.org' }, /^webhook must not have a user name or password$/],
    [{ channels: ['sms'] }, /^mobile of the user must be a phone number for the channel sms$/]
  ] as const) {
    test(`${JSON.stringify(change)} is refused by the name of the field`, async () => {
      const user = await platform().world.user()
      const { status, json } = await put(user, { ...full, ...change })
      assert.equal(status, 400)
      assert.match(String(json['message']), message)
    })
  }

  test('the next user must be another one whom the caller sees', async () => {
    const { world } = platform()
    const organization = await world.organization()
    const [user, boss] = [
      await world.user({ grants: ['user/list'], organizations: [organization] }),
      await world.user({ organizations: [organization] })
    ]
    const escalate = { after: '15m', user_id: boss.id }
    assert.equal((await put(user, { ...full, escalate })).status, 200)
    const own = await put(user, { ...full, escalate: { after: '15m', user_id: user.id } })
    assert.equal(own.json['message'], 'escalate.user_id must be another user')
  })

  test('others need user/update, and must reach all organizations of the user', async () => {
    const { world } = platform()
    const [here, there] = [await world.organization(), await world.organization()]
    const grants = ['user/list', 'user/update']
    const admin = await world.user({ grants, organizations: [here], priority: 500 })
    const user = await world.user({ organizations: [here] })
    const both = await world.user({ organizations: [here, there] })
    const reader = await world.user({ grants: ['user/list'], organizations: [here] })
    assert.equal((await put(admin, full, user.id)).status, 200)
    // A webhook of the administrator would get the alarms of the other organization.
    assert.equal((await put(admin, full, both.id)).status, 403)
    assert.equal((await put(reader, full, user.id)).status, 403)
    assert.equal((await ask(reader, `GET /api/v2/user/${user.id}/alarm`)).status, 403)
  })

  test('a rule says how many its alarms would reach, by severity', async () => {
    const { world } = platform()
    const { installation } = await world.site([])
    const organizations = [installation.organization_id]
    const reads = ['alarm/list/all', 'rule/list/all']
    const user = await world.user({ grants: reads, organizations })
    const at = `GET /api/v2/alarm/${installation.id}/recipient`
    const f = async (info: number, warning: number, critical: number) =>
      assert.deepEqual(await ask(user, at), { status: 200, json: { info, warning, critical } })
    await f(0, 0, 0)
    const mail = { severities: ['warning', 'critical'], channels: ['mail'] }
    await put(user, mail)
    await f(0, 1, 1)
    // Push without a browser or a phone leads nowhere.
    const push = { severities: ['info'], channels: ['push'] }
    const second = await world.user({ grants: reads, organizations })
    await put(second, push)
    await f(0, 1, 1)
    const endpoint = `https://93.184.216.34/${world.unique('b')}`
    await ask(second, 'POST /api/v2/user/me/alarm/push', { endpoint, keys: newBrowser().keys })
    await f(1, 1, 1)
    // Who may not list the alarms is not told.
    const blind = await world.user({ grants: ['rule/list/all'], organizations })
    await put(blind, mail)
    await f(1, 1, 1)
    assert.equal((await ask(blind, at)).status, 200)
    const stranger = await world.user({ grants: reads })
    assert.equal((await ask(stranger, at)).status, 403)
    const lists = await world.user({ grants: ['alarm/list/all'], organizations })
    assert.equal((await ask(lists, at)).status, 403)
  })

  test('browsers are added and removed, and the newest 20 are kept', async () => {
    const { world } = platform()
    const [user, other] = [await world.user(), await world.user()]
    const at = '/api/v2/user/me/alarm/push'
    const read = async (as = user) => {
      const { json } = await ask(as, `GET ${at}`)
      return json as { public_key: string; subscriptions: { id: number; endpoint: string }[] }
    }
    const add = (endpoint: string, as = user) =>
      ask(as, `POST ${at}`, { endpoint, keys: newBrowser().keys, expirationTime: null })
    const { public_key } = await read()
    assert.equal(Buffer.from(public_key, 'base64url').length, 65)
    assert.equal((await read(other)).public_key, public_key)
    const shared = `https://93.184.216.34/${world.unique('b')}`
    const { json } = await add(shared)
    assert.equal(json['endpoint'], 'https://93.184.216.34')
    assert.equal((await ask(other, `DELETE ${at}/${json['id']}`)).status, 404)
    // A browser belongs to the user who registered it last.
    await add(shared, other)
    assert.deepEqual((await read()).subscriptions, [])
    for (let i = 0; i < 22; i++) await add(`https://93.184.216.34/${world.unique('b')}`)
    const { subscriptions } = await read()
    assert.equal(subscriptions.length, 20)
    assert.equal((await ask(user, `DELETE ${at}/${subscriptions[0]?.id}`)).status, 200)
    assert.equal((await read()).subscriptions.length, 19)
  })

  const good = () => ({ endpoint: 'https://93.184.216.34/x', keys: newBrowser().keys })
  for (const [what, body, message] of [
    [
      'an address that is not public',
      { ...good(), endpoint: 'http://169.254.169.254/' },
      /^endpoint must not lead to/
    ],
    [
      'an old push service',
      { ...good(), endpoint: 'https://android.googleapis.com/gcm/send/x' },
      /^endpoint must be of/
    ],
    [
      'a key that is no point',
      { ...good(), keys: { ...good().keys, p256dh: 'AAAA' } },
      /^keys.p256dh must be/
    ],
    [
      'a short secret',
      { ...good(), keys: { ...good().keys, auth: 'AAAA' } },
      /^keys.auth must be 16 bytes/
    ],
    ['no keys', { endpoint: good().endpoint }, /^keys is required/]
  ] as const) {
    test(`a browser with ${what} is refused`, async () => {
      const user = await platform().world.user()
      const { status, json } = await ask(user, 'POST /api/v2/user/me/alarm/push', body)
      assert.equal(status, 400)
      assert.match(String(json['message']), message)
    })
  }

  test('deliveries show addresses only of users whom the caller sees', async () => {
    const { world, deps } = platform()
    const installation = await world.installation()
    const { organization_id } = installation
    const grants = ['alarm/list/all']
    const organizations = [organization_id]
    const user = await world.user({ grants, organizations })
    const boss = await world.user({ grants: [...grants, 'user/list'], organizations })
    const alarm = await world.alarm(installation.id)
    const line = `GET /api/v2/alarm/${installation.id}/${alarm}/delivery`
    assert.deepEqual(await ask(user, line), { status: 200, json: [] })
    const now = Date.now()
    const { registry } = deps
    const { id: group_id } = await registry
      .insertInto('alarm_groups')
      .values({
        ...{ installation_id: installation.id, severity: 'warning', is_first: 1 },
        ...{ created: now, due_at: now, told_at: now }
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await registry
      .insertInto('alarm_group_members')
      .values({ group_id, alarm_id: alarm, how: 'raised' })
      .execute()
    for (const { id, email } of [user, boss]) {
      const { id: message_id } = await registry
        .insertInto('alarm_messages')
        .values({
          ...{ user_id: id, channel: 'mail', address: email, held_until: 0, created: now },
          ...{ due_at: now, tries: 1, tried_at: now, is_pending: 0, result: 'sent' }
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await registry
        .insertInto('alarm_message_groups')
        .values({ message_id, group_id, level: 0 })
        .execute()
    }
    const row = (to: string) => ({ at: now / 1000, channel: 'mail', to, result: 'sent' })
    assert.deepEqual((await ask(boss, line)).json, [row(boss.email), row(user.email)])
    assert.deepEqual((await ask(user, line)).json, [row(''), row(user.email)])
    const elsewhere = `GET /api/v2/alarm/${installation.id}/${alarm + 1000}/delivery`
    assert.equal((await ask(user, elsewhere)).status, 404)
  })
})
