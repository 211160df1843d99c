import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QuotaName } from '../../src/lib/quota.ts'
import { sampleBytes } from '../../src/lib/quota.ts'
import { DAY, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account } from '../support/world.ts'

type Site = { installation: { id: number; client_id: number; organization_id: number } } & {
  user: Account
}
type Usage = Record<QuotaName, { used: number; quota: number | null }>

const grants = [
  ...['mqtt/publish/all', 'log/read/all', 'status/read/all', 'file/#', 'installation/list/all'],
  ...['installation/update/all', 'organization/list', 'organization/update']
]
const multipart = { 'content-type': 'multipart/form-data; boundary=x' }
const fileOf = (text: string) =>
  `--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${text}\r\n--x--\r\n`

onRegistryMatrix('quotas of a platform', (engine) => {
  // Noon, far from the end of a day and of a month.
  const begin = Date.UTC(2026, 5, 15, 12)
  let now = begin
  const { platform } = withPlatform(engine, { clock: () => unixMs(now) })

  const request = (...args: Parameters<ReturnType<typeof platform>['world']['request']>) =>
    platform().world.request(...args)
  const site = () => platform().world.site(grants)
  const publish = (at: Site, name: string, payload: object = { value: 1 }) =>
    platform().world.publish(at.user, `${at.installation.client_id}/obj/${name}`, payload)
  const importInto = (at: Site, rows: object[]) =>
    request(`POST /api/v3beta/log/${at.installation.id}/import`, {
      as: at.user,
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    })
  const topicsOf = async ({ installation, user }: Site) => {
    const { json } = await request(`GET /api/v2/status/${installation.id}`, { as: user })
    return (json as { topic: string }[]).map(({ topic }) => topic.split('/obj/')[1])
  }
  const setQuota = async (path: string, body: object) => {
    const { status, json } = await request(`PUT /api/v2/${path}/quota`, {
      as: platform().world.admin,
      body
    })
    assert.equal(status, 200)
    return json as { effective: Record<string, number> }
  }
  const usageOf = async (path: string, as: { token: string }) =>
    (await request(`GET /api/v2/${path}/usage`, { as })).json as Usage
  const reasonsOf = async ({ installation: { client_id } }: Site) => {
    const { json } = await request('GET /api/v2/ledger?limit=100', { as: platform().world.admin })
    return (json as { reason: string; topic: string }[])
      .filter(({ topic }) => topic.startsWith(`${client_id}/`))
      .map(({ reason }) => reason)
  }
  const figure = async (line: RegExp) => {
    const { text } = await request('GET /metrics', { as: platform().world.admin })
    return Number(
      text
        .split('\n')
        .find((one) => line.test(one))
        ?.split(' ')
        .at(-1) ?? 0
    )
  }
  const loggedOf = (owner: string) =>
    platform().logged.filter((line) => line['owner'] === owner && 'quota' in line)

  test('messages per second: those of a minute are accepted at once, more are refused, and others are not affected', async () => {
    const [house, neighbour] = [await site(), await site()]
    await setQuota(`installation/${house.installation.id}`, { messages_per_second: 1 })
    const client = await platform().world.mqtt(house.user)
    const send = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, i) =>
          client.publish(`${house.installation.client_id}/obj/t${from + i}`, '{"value":1}', {
            qos: 1
          })
        )
      )
    const before = await figure(/^caracal_quota_refused_total\{quota="messages_per_second"/)
    await send(0, 70)
    assert.equal((await topicsOf(house)).length, 60)
    await publish(neighbour, 'x')
    assert.deepEqual(await topicsOf(neighbour), ['x'])
    // One line in the ledger and one in the log; the metric counts each.
    assert.deepEqual(await reasonsOf(house), ['too many messages'])
    const owner = `installation ${house.installation.id}`
    assert.deepEqual(
      loggedOf(owner).map(({ quota, limit, level }) => ({ quota, limit, level })),
      [{ quota: 'messages_per_second', limit: 1, level: 40 }]
    )
    const after = await figure(/^caracal_quota_refused_total\{quota="messages_per_second"/)
    assert.equal(after - before, 10)
    assert.equal(await figure(/^caracal_refused_total\{reason="too many messages"/), after)
    now += 11 * SECOND
    await send(70, 82)
    assert.equal((await topicsOf(house)).length, 71)
    assert.deepEqual(await reasonsOf(house), ['too many messages', 'too many messages'])
    assert.equal(loggedOf(owner).length, 1)
    const { messages_per_second } = await usageOf(`installation/${house.installation.id}`, {
      token: house.user.token
    })
    assert.deepEqual(messages_per_second, { used: 1.18, quota: 1 })
    await client.mqtt.endAsync()
  })

  test('the topics of an organization include those of everything below it', async () => {
    const { world } = platform()
    const tenant = await world.organization()
    const branch = await world.organization(tenant)
    const user = await world.user({ grants, organizations: [tenant] })
    const one = { user, installation: await world.installation({ organization_id: tenant }) }
    const two = { user, installation: await world.installation({ organization_id: branch }) }
    await setQuota(`organization/${tenant}`, { topics: 3 })
    for (const name of ['a', 'b']) await publish(one, name)
    for (const name of ['a', 'b']) await publish(two, name)
    assert.deepEqual([await topicsOf(one), await topicsOf(two)], [['a', 'b'], ['a']])
    assert.deepEqual(await reasonsOf(two), ['too many topics'])
    assert.deepEqual((await usageOf(`organization/${tenant}`, user)).topics, { used: 3, quota: 3 })
    assert.equal((await usageOf(`organization/${branch}`, user)).topics.used, 1)
    const { status, json } = await importInto(two, [{ timestamp: 1, topic: 'obj/c', value: 1 }])
    assert.equal(status, 409)
    assert.match(
      JSON.stringify(json),
      /line 1: this goes beyond the quota topics of an organization above; 0 samples/
    )
    const elsewhere = await site()
    for (const name of ['a', 'b', 'c', 'd']) await publish(elsewhere, name)
    assert.equal((await topicsOf(elsewhere)).length, 4)
    // What is moved away or deleted no longer counts.
    const move = { organization_id: elsewhere.installation.organization_id }
    await request(`PUT /api/v2/installation/${two.installation.id}`, {
      ...{ as: world.admin, body: move }
    })
    assert.equal((await usageOf(`organization/${tenant}`, user)).topics.used, 2)
    await request(`DELETE /api/v2/installation/${one.installation.id}`, { as: world.admin })
    assert.equal((await usageOf(`organization/${tenant}`, user)).topics.used, 0)
    const { topics } = await usageOf(`organization/${move.organization_id}`, elsewhere.user)
    assert.equal(topics.used, 5)
  })

  test('bytes of history per day count over MQTT and by import, until the next day', async () => {
    const house = await site()
    const { id, organization_id, client_id } = house.installation
    const bytes = sampleBytes(`${client_id}/obj/x`, '')
    await setQuota(`organization/${organization_id}`, { history_bytes_per_day: 3 * bytes })
    await publish(house, 'x', { value: 1 })
    const rows = [1, 2, 3].map((value) => ({ timestamp: value, topic: 'obj/x', value }))
    const stopped = await importInto(house, rows)
    assert.equal(stopped.status, 409)
    assert.match(stopped.text, /line 3: this goes beyond the quota history_bytes_per_day/)
    // Samples that were not stored are not charged.
    assert.equal(
      (await usageOf(`installation/${id}`, house.user)).history_bytes_per_day.used,
      bytes
    )
    assert.equal((await importInto(house, rows.slice(0, 2))).status, 200)
    await publish(house, 'x', { value: 2 })
    assert.deepEqual(await reasonsOf(house), ['too much history today'])
    const { history_bytes_per_day, history_bytes } = await usageOf(
      `organization/${organization_id}`,
      house.user
    )
    assert.deepEqual(history_bytes_per_day, { used: 3 * bytes, quota: 3 * bytes })
    assert.equal(history_bytes.used, 3 * bytes)
    now += DAY
    await publish(house, 'x', { value: 3 })
    const next = await usageOf(`organization/${organization_id}`, house.user)
    assert.deepEqual([next.history_bytes_per_day.used, next.history_bytes.used], [bytes, 4 * bytes])
  })

  test('bytes of history in total: refused until the quota is raised or history is erased', async () => {
    const { world } = platform()
    const house = await site()
    const { id, organization_id, client_id } = house.installation
    const size = (msg: string) => sampleBytes(`${client_id}/obj/x`, msg)
    await setQuota(`installation/${id}`, { history_bytes: size('é') })
    await publish(house, 'x', { value: 1, msg: 'é' })
    await publish(house, 'x', { value: 2 })
    assert.deepEqual(await reasonsOf(house), ['too much history'])
    assert.equal((await usageOf(`installation/${id}`, house.user)).history_bytes.used, size('é'))
    const refused = await importInto(house, [{ timestamp: 1, topic: 'obj/x', value: 1 }])
    assert.match(refused.text, /beyond the quota history_bytes of the installation, which is/)
    await setQuota(`installation/${id}`, {})
    await publish(house, 'x', { value: 2 })
    const used = size('é') + size('')
    const usage = async () =>
      (await usageOf(`organization/${organization_id}`, house.user)).history_bytes
    assert.equal((await usage()).used, used)
    await request(`DELETE /api/v2/installation/${id}`, { as: world.admin })
    assert.equal((await usage()).used, 0)
  })

  test('files count for the installation and for an organization with everything below it', async () => {
    const { world } = platform()
    const tenant = await world.organization()
    const branch = await world.organization(tenant)
    const user = await world.user({ grants, organizations: [tenant] })
    const house = await world.installation({ organization_id: branch })
    await setQuota(`organization/${tenant}`, { files: 3, file_bytes: 20 })
    await setQuota(`installation/${house.id}`, { files: 1 })
    const upload = async (path: string, text: string) => {
      const { status, json } = await request(`POST /api/v2/file/${path}`, {
        ...{ as: user, headers: multipart, body: fileOf(text) }
      })
      return [status, status === 200 ? '' : (json as { message: string }).message]
    }
    const files = `installation/${house.id}`
    assert.deepEqual(await upload(files, '12345'), [200, ''])
    assert.deepEqual(await upload(files, '12345'), [
      ...[409, 'this goes beyond the quota files of the installation, which is 1']
    ])
    assert.deepEqual(await upload(`organization/${branch}`, 'x'.repeat(16)), [
      ...[409, 'this goes beyond the quota file_bytes of an organization above']
    ])
    assert.deepEqual(await upload(`organization/${branch}`, 'x'.repeat(15)), [200, ''])
    assert.deepEqual(await upload(`organization/${tenant}`, ''), [200, ''])
    assert.deepEqual(await upload(`organization/${tenant}`, ''), [
      ...[409, 'this goes beyond the quota files of the organization, which is 3']
    ])
    const usage = await usageOf(`organization/${tenant}`, user)
    assert.deepEqual(
      [usage.files, usage.file_bytes],
      [
        { used: 3, quota: 3 },
        { used: 20, quota: 20 }
      ]
    )
    assert.equal(loggedOf(`organization ${tenant}`).length, 2)
    const other = await site()
    const there = await request(`POST /api/v2/file/installation/${other.installation.id}`, {
      ...{ as: other.user, headers: multipart, body: fileOf('12345') }
    })
    assert.equal(there.status, 200)
  })

  test('callers who see the owner read a quota, and only callers who reach the top set it', async () => {
    const { world } = platform()
    const house = await site()
    const stranger = await site()
    const { id, organization_id } = house.installation
    for (const path of [`installation/${id}`, `organization/${organization_id}`]) {
      const quota = `/api/v2/${path}/quota`
      const [, before] = [
        await setQuota(path, {}),
        await request(`GET ${quota}`, { as: house.user })
      ]
      const { defaults, overrides, effective } = before.json as Record<string, object>
      assert.deepEqual([overrides, effective], [{}, defaults])
      assert.equal((await request(`PUT ${quota}`, { as: house.user, body: {} })).status, 403)
      for (const what of ['quota', 'usage']) {
        const line = `GET /api/v2/${path}/${what}`
        assert.equal((await request(line, { as: house.user })).status, 200)
        assert.equal((await request(line, { as: stranger.user })).status, 403)
        assert.equal((await request(line)).status, 401)
      }
      assert.equal((await request(`PUT ${quota}`, { body: {} })).status, 401)
      const body = { topics: 7, files: null, filters: 0 }
      const set = await request(`PUT ${quota}`, { as: world.admin, body })
      assert.deepEqual(set.json, {
        ...{ defaults, overrides: { topics: 7, filters: 0 } },
        effective: { ...defaults, topics: 7, filters: 0 }
      })
      for (const wrong of [{ topics: -1 }, { topics: 'x' }, { topics: 1.5 }, { unknown: 1 }]) {
        const { status, text } = await request(`PUT ${quota}`, { as: world.admin, body: wrong })
        assert.equal(status, 400)
        assert.match(text, new RegExp(Object.keys(wrong)[0] ?? ''))
      }
      assert.deepEqual((await request(`GET ${quota}`, { as: house.user })).json, set.json)
      const usage = await usageOf(path, house.user)
      assert.deepEqual(usage.topics, { used: 0, quota: 7 })
    }
    for (const path of ['installation/999999999', 'organization/999999999']) {
      const line = `PUT /api/v2/${path}/quota`
      assert.equal((await request(line, { as: world.admin, body: {} })).status, 403)
    }
  })

  test('the top organization has no quota, and its usage is that of all', async () => {
    const { world } = platform()
    const house = await site()
    await publish(house, 'x')
    const usage = await usageOf('organization/1', world.admin)
    assert.equal(usage.topics.quota, null)
    assert(usage.topics.used > 0 && usage.history_bytes.used > 0 && usage.files.used > 0)
    const refused = await request('PUT /api/v2/organization/1/quota', {
      ...{ as: world.admin, body: { topics: 5 } }
    })
    assert.deepEqual(
      [refused.status, refused.json],
      [...[400, { message: 'the top organization has no quotas' }]]
    )
  })

  test('connections and filters are what the broker counts', async () => {
    const { deps } = platform()
    const house = await site()
    const { id, organization_id } = house.installation
    const connected = new Map([[`organization ${organization_id}`, 3]])
    deps.quotas.countBy('connections', (payer) => connected.get(`${payer.kind} ${payer.id}`) ?? 0)
    await setQuota(`organization/${organization_id}`, { connections: 4 })
    const { connections } = await usageOf(`organization/${organization_id}`, house.user)
    assert.deepEqual(connections, { used: 3, quota: 4 })
    assert.equal((await usageOf(`installation/${id}`, house.user)).connections.used, 0)
    const line = new RegExp(`quota_share.*connections.*organization ${organization_id}"`)
    assert.equal(await figure(line), 0.75)
  })

  test('the metrics name the three tenants that are nearest to a quota', async () => {
    const sites = [await site(), await site(), await site(), await site()]
    for (const [place, house] of sites.entries()) {
      await setQuota(`installation/${house.installation.id}`, { topics: place + 1 })
      await publish(house, 'x')
    }
    await eventually(async () => {
      const { text } = await request('GET /metrics', { as: platform().world.admin })
      const lines = text.split('\n').filter((line) => /^caracal_quota_share.*"topics"/.test(line))
      assert.equal(lines.length, 3)
      assert.match(lines.join('\n'), /quota="topics",tenant="organization \d+"\} 1$/m)
    })
  })
})
