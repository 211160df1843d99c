import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_MSG_BYTES } from '../../src/lib/sample.ts'
import { MAX_TOPIC_LEVELS } from '../../src/lib/topic.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import type { World } from '../support/world.ts'

type Site = Awaited<ReturnType<World['site']>>
type Row = { topic: string; value: number; msg: string }

const grants = ['mqtt/publish/all', 'log/read/all', 'status/read/all']
const TOPICS = 5

test('samples above the limits are refused with a reason, and other installations are not affected', async (t) => {
  const platform = await startTestPlatform({
    settings: { CARACAL_TOPICS_PER_INSTALLATION: String(TOPICS) }
  })
  t.after(() => platform.stop())
  const { world, deps, url, logged } = platform
  const [house, neighbour] = [await world.site(grants), await world.site(grants)]

  const statusOf = async ({ installation, user }: Site): Promise<Row[]> => {
    const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
    return json as Row[]
  }
  const importInto = async ({ installation, user }: Site, rows: object[]) => {
    const response = await fetch(`${url}/api/v3beta/log/${installation.id}/import`, {
      method: 'POST',
      headers: { 'x-api-key': user.token },
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  const ledgerOf = async (topic: string): Promise<string[]> => {
    const { json } = await world.request('GET /api/v2/ledger?limit=100', { as: world.admin })
    const entries = json as { reason: string; topic: string }[]
    return entries.filter((entry) => topic.startsWith(entry.topic)).map(({ reason }) => reason)
  }
  const publish = ({ installation, user }: Site, name: string, payload: unknown) =>
    world.publish(user, `${installation.client_id}/obj/${name}`, payload)

  await t.test('a message of more than 64 KiB', async () => {
    const longest = 'é'.repeat(MAX_MSG_BYTES / 2)
    await publish(house, 'long', { value: 1, msg: longest })
    await publish(house, 'long', { value: 2, msg: `${longest}x` })
    await eventually(async () => {
      const topic = `${house.installation.client_id}/obj/long`
      assert.deepEqual(await ledgerOf(topic), ['msg too long'])
    })
    assert.deepEqual(
      (await statusOf(house)).map(({ value, msg }) => [value, msg === longest]),
      [[1, true]]
    )
    const { status, json } = await importInto(house, [
      { timestamp: 1, topic: 'obj/long', value: 1, msg: 'short' },
      { timestamp: 2, topic: 'obj/long', value: 2, msg: `${longest}x` }
    ])
    assert.equal(status, 200)
    assert.deepEqual(json, {
      ...{ imported: 1, rejected: 1 },
      errors: [{ line: 2, message: `msg must have at most ${MAX_MSG_BYTES} bytes` }]
    })
  })

  await t.test('a topic of more than 64 levels', async () => {
    const name = Array(MAX_TOPIC_LEVELS - 1)
      .fill('x')
      .join('/')
    const { json } = await importInto(house, [{ timestamp: 1, topic: `obj/${name}`, value: 1 }])
    assert.deepEqual([json['imported'], json['rejected']], [0, 1])
    assert.equal((await statusOf(house)).length, 1)
  })

  await t.test('more topics than an installation may have', async () => {
    for (let i = 1; i < TOPICS; i++) await publish(house, `t${i}`, { value: i })
    for (const name of ['new1', 'new2']) await publish(house, name, { value: 1 })
    await eventually(async () => {
      const topic = `${house.installation.client_id}/obj/new1`
      assert.deepEqual(await ledgerOf(topic), ['too many topics'])
    })
    await publish(house, 't1', { value: 100 })
    assert.deepEqual(
      (await statusOf(house)).map(({ value }) => value),
      [1, 100, 2, 3, 4]
    )
    const { status, json } = await importInto(house, [
      { timestamp: 1, topic: 'obj/t1', value: 1 },
      { timestamp: 1, topic: 'obj/new3', value: 1 }
    ])
    assert.equal(status, 409)
    assert.match(
      String(json['message']),
      /^line 2: this goes beyond the quota topics of the installation, which is 5; 0 samples are stored/
    )
    assert.equal((await statusOf(house)).length, TOPICS)
    const lines = logged.filter(({ msg }) => String(msg).includes('a quota is used up'))
    assert.deepEqual(
      lines.map(({ owner, quota, limit }) => [owner, quota, limit]),
      [[`installation ${house.installation.id}`, 'topics', TOPICS]]
    )
    const { text } = await world.request('GET /metrics', { as: world.admin })
    assert.match(text, /reason="too many topics"} 3/)

    await publish(neighbour, 'new1', { value: 1 })
    const rows = Array.from({ length: TOPICS }, (_, i) => ({
      ...{ timestamp: 1, topic: `obj/new${i + 1}`, value: 1 }
    }))
    assert.equal((await importInto(neighbour, rows)).status, 200)
    assert.equal((await statusOf(neighbour)).length, TOPICS)
    // Topics that an import did not store do not count.
    const other = await world.site(grants)
    assert.equal((await importInto(other, [...rows, { ...rows[0], topic: 'obj/6' }])).status, 409)
    assert.equal((await importInto(other, rows)).status, 200)
  })

  await t.test('new topics that arrive at the same time count before they are stored', async () => {
    const site = await world.site(grants)
    await Promise.all(
      Array.from({ length: 4 * TOPICS }, (_, i) => publish(site, `n${i}`, { value: i }))
    )
    assert.equal((await statusOf(site)).length, TOPICS)
  })

  await t.test('known topics that are not in memory leave the room for a new one', async () => {
    const site = await world.site(grants)
    const { id } = site.installation
    for (let i = 1; i < TOPICS; i++) await publish(site, `t${i}`, { value: i })
    for (let round = 0; round < 5; round++) {
      await eventually(() => assert.equal(deps.latest.pendingTopics(id), 0))
      deps.latest.forget(id)
      const names = [...Array.from({ length: TOPICS - 1 }, (_, i) => `t${i + 1}`), 'new']
      await Promise.all(names.map((name) => publish(site, name, { value: 10 + round })))
      const values = (await statusOf(site)).map(({ value }) => value)
      assert.deepEqual(values, Array(TOPICS).fill(10 + round))
    }
    await publish(site, 'one too many', { value: 1 })
    assert.equal((await statusOf(site)).length, TOPICS)
  })
})
