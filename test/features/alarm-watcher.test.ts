import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { changeRule, deleteRule } from '../../src/features/rule/rows.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { HOUR, MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import {
  changeModelx,
  insertModelx,
  insertModelxWithin,
  removeModelx
} from '../../src/registry/modelx.ts'
import { inTransaction } from '../../src/registry/transaction.ts'
import { eventually } from '../support/eventually.ts'
import { temporary } from '../support/spool.ts'
import { WatchedSite } from '../support/watcher.ts'

const BEGIN = Date.UTC(2026, 4, 4, 12)

test('a value above the bound raises an alarm, and one below it clears it', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const rule_id = await site.rule(
    { kind: 'installation', id: home.id },
    {
      on: { topics: ['obj/t'] },
      when: { above: 25 },
      message: '{{.payload.id}}: {{.payload.topic}} is {{.payload.value}}'
    }
  )
  await site.send(home, 'obj/t', { value: 25 })
  await site.send(home, 'obj/other', { value: 30 })
  await site.judge()
  assert.deepEqual(await site.alarms(), [])
  await site.wait(SECOND)
  await site.send(home, 'obj/t', { value: 26.5 })
  await site.judge()
  const [raised] = await site.alarms()
  assert(raised)
  assert.deepEqual(
    { ...raised, id: 0 },
    {
      ...{ id: 0, installation_id: home.id, rule_id, topic: `${home.client_id}/obj/t` },
      ...{ severity: 'warning', raised_at: BEGIN + SECOND, value: 26.5, cleared_at: null },
      ...{ acknowledged_at: null, acknowledged_by: null, note: '', is_told: 1, told: 0 },
      message: `${raised.id}: ${home.client_id}/obj/t is 26.5`
    }
  )
  assert.deepEqual(site.told, [home.client_id])
  await site.wait(SECOND)
  await site.send(home, 'obj/t', { value: 20 })
  await site.judge()
  assert.equal((await site.alarms())[0]?.cleared_at, BEGIN + 2 * SECOND)
  await site.wait(10 * SECOND)
  const { readers } = await site.spool.state()
  assert.deepEqual(
    readers.map(({ samples }) => samples),
    [0, 0]
  )
})

test('silence raises an alarm and never runs while the platform is down', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const own = { kind: 'installation', id: home.id } as const
  await site.rule(own, { on: { topics: ['obj/#'] }, when: { silent_for: '10m' } })
  await site.send(home, 'obj/a', { value: 1 })
  await site.send(home, 'obj/b', { value: 1 })
  await site.judge()
  await site.wait(6 * MINUTE)
  await site.restart()
  site.now = unixMs(site.now + 5 * HOUR)
  await site.judge()
  await site.wait(3 * MINUTE)
  await site.send(home, 'obj/b', { value: 1 })
  await site.wait(30 * SECOND)
  assert.deepEqual(await site.alarms(), [])
  await site.wait(MINUTE)
  const [alarm, ...more] = await site.alarms()
  assert.equal(more.length, 0)
  assert.equal(alarm?.topic, `${home.client_id}/obj/a`)
  const due = BEGIN + 5 * HOUR + 10 * MINUTE
  assert(
    alarm.raised_at >= due && alarm.raised_at <= due + 6 * SECOND,
    String(alarm.raised_at - due)
  )
  await site.send(home, 'obj/a', { value: 1 })
  await site.judge()
  assert.equal((await site.alarms())[0]?.cleared_at, site.now)
})

const when = { above: 25 }

test('rules that are switched off, deleted or moved away clear their alarms', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const own = { kind: 'installation', id: home.id } as const
  const off = await site.rule(own, { on: { topics: ['obj/a'] }, when })
  const moved = await site.rule(own, { on: { topics: ['obj/a'] }, when })
  const stays = await site.rule(own, { on: { topics: ['obj/+'] }, when })
  const above = { kind: 'organization', id: home.organization_id } as const
  const deleted = await site.rule(above, { on: { topics: ['obj/a'] }, when })
  await site.send(home, 'obj/a', { value: 30 })
  await site.judge()
  const open = async () =>
    (await site.alarms())
      .flatMap(({ cleared_at, rule_id }) => (cleared_at === null ? [rule_id] : []))
      .sort()
  assert.deepEqual(await open(), [off, moved, stays, deleted])
  const change = (id: number, fields: object) =>
    changeRule(site.registry, own, id, { change: (now) => ({ ...now, ...fields }), now: site.now })
  await site.wait(SECOND)
  await change(off, { active: false })
  await change(moved, { on: { topics: ['obj/b'] } })
  await change(stays, { when: { above: 40 } })
  await deleteRule(site.registry, above, deleted, site.now)
  await site.directory.catchUp()
  await site.judge()
  assert.deepEqual(await open(), [stays], 'a change of when is judged at the next value')
  await site.send(home, 'obj/a', { value: 39 })
  await site.judge()
  assert.deepEqual(await open(), [])
  assert((await site.alarms()).every(({ cleared_at }) => cleared_at === BEGIN + SECOND))
  for (const id of [moved, stays]) await deleteRule(site.registry, own, id, site.now)
  await site.directory.catchUp()
  await site.wait(MINUTE)
  await site.judge()
  assert.equal(site.watcher.isUsed, false, 'without rules nobody reads the spool')
  assert.deepEqual(
    (await site.spool.state()).readers.map(({ name }) => name),
    ['mover']
  )
  assert.equal((await site.registry.selectFrom('alarm_states').selectAll().execute()).length, 0)
})

test('a new rule sees the next value, also when reading the installation takes long', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const own = { kind: 'installation', id: home.id } as const
  await inTransaction(site.registry, async (registry) => {
    for (let i = 0; i < 3000; i++) {
      const meta = { topic_read: `obj/${i}`, note: 'x'.repeat(10_000) }
      const fields = { type: 'large', meta: JSON.stringify(meta), protected_meta: '{}' }
      const of = { kind: 'function', installation_id: home.id } as const
      await insertModelxWithin(registry, of, fields, site.now)
    }
  })
  for (let i = 0; i < 3; i++) {
    await site.rule(own, { on: { type: 'large', meta: { topic_read: `obj/${i}` } }, when })
    await site.send(home, `obj/${i}`, { value: 30 })
    await site.judge()
  }
  const raised = (await site.alarms()).map(({ topic }) => topic)
  assert.deepEqual(
    raised,
    [0, 1, 2].map((i) => `${home.client_id}/obj/${i}`)
  )
})

test('one rule of an organization watches the bounds in the metadata of its functions', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const above = { kind: 'organization', id: home.organization_id } as const
  const rule_id = await site.rule(above, {
    on: { type: 'temperature', meta: { room: 'freezer' } },
    when: { above: { meta: 'warning' } }
  })
  const made = (name: string, meta: object) =>
    insertModelx(
      ...([site.registry, 'function', home.id] as const),
      {
        type: 'temperature',
        meta: JSON.stringify({ topic_read: `obj/${name}`, ...meta }),
        protected_meta: '{}'
      },
      site.now
    )
  await made('a', { room: 'freezer', warning: '-10' })
  await made('b', { room: 'hall', warning: '-10' })
  const c = await made('c', { room: 'freezer' })
  await site.directory.catchUp()
  const send = async (value: number) => {
    for (const name of ['a', 'b', 'c']) await site.send(home, `obj/${name}`, { value })
    await site.judge()
  }
  const topics = async () => (await site.alarms()).map(({ topic, rule_id }) => [topic, rule_id])
  await send(-5)
  assert.deepEqual(await topics(), [[`${home.client_id}/obj/a`, rule_id]])
  assert(c)
  const meta = JSON.stringify({ topic_read: 'obj/c', room: 'freezer', warning: '-20' })
  const ref = { kind: 'function', installation_id: home.id, id: c.id } as const
  await changeModelx(site.registry, ref, () => ({ meta }), site.now)
  await site.directory.catchUp()
  await site.wait(SECOND)
  await send(-5)
  assert.deepEqual(await topics(), [
    [`${home.client_id}/obj/a`, rule_id],
    [`${home.client_id}/obj/c`, rule_id]
  ])
  await removeModelx(site.registry, ref, () => {}, site.now)
  await site.directory.catchUp()
  await eventually(async () => {
    await site.judge()
    assert.equal((await site.alarms()).at(-1)?.cleared_at, site.now)
  })
})

test('values of an import and values older than an hour tell nobody', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const own = { kind: 'installation', id: home.id } as const
  await site.rule(own, { on: { topics: ['obj/#'] }, when: { above: 25 } })
  await site.send(home, 'obj/old', { timestamp: BEGIN - 2 * HOUR, value: 30 })
  await site.send(home, 'obj/new', { timestamp: BEGIN - HOUR / 2, value: 30 })
  await site.judge()
  const rows = [3, 1, 2].map((i) =>
    encodeSample({
      ...{ id: i, installation_id: home.id, client_id: home.client_id, msg: '' },
      topic: `${home.client_id}/obj/import`,
      ...{ timestamp: unixMs(BEGIN - 3 * MINUTE + i * SECOND), value: i === 2 ? 30 : 20 }
    })
  )
  const done = site.watcher.judgeImport(home, Buffer.from(rows.join('')))
  while ((await Promise.race([done.then(() => 'done'), site.judge()])) !== 'done');
  assert.deepEqual(
    (await site.alarms()).map(({ topic, is_told, cleared_at }) => [
      topic.slice(topic.lastIndexOf('/') + 1),
      ...[is_told, cleared_at]
    ]),
    [
      ['old', 0, null],
      ['new', 1, null],
      ['import', 0, BEGIN - 3 * MINUTE + 3 * SECOND]
    ]
  )
})

test('a gateway that is gone for a minute is an alarm, and holds silence', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const own = { kind: 'installation', id: home.id } as const
  await site.rule(own, { on: { topics: ['obj/#'] }, when: { silent_for: '5m' } })
  site.expected.push(home.id)
  site.gateways.expect(home.id)
  await site.send(home, 'obj/a', { value: 1 })
  await site.wait(2 * MINUTE)
  assert.deepEqual(await site.alarms(), [], 'one that never connected counts as connected')
  let leave = site.gateways.arrived(home.id)
  await site.wait(MINUTE)
  leave()
  await site.wait(30 * SECOND)
  leave = site.gateways.arrived(home.id)
  await site.wait(SECOND)
  leave()
  const gone = site.now
  await site.wait(50 * SECOND)
  assert.deepEqual(await site.alarms(), [])
  await site.wait(20 * MINUTE)
  const [alarm, ...more] = await site.alarms()
  assert.deepEqual(more, [])
  assert.deepEqual(
    [alarm?.rule_id, alarm?.topic, alarm?.severity, alarm?.raised_at, alarm?.cleared_at],
    [0, String(home.client_id), 'critical', gone + MINUTE, null]
  )
  // A restart changes nothing: it is still gone.
  await site.restart()
  await site.judge()
  await site.wait(10 * MINUTE)
  assert.equal((await site.alarms()).length, 1)
  leave = site.gateways.arrived(home.id)
  const back = site.now
  await site.wait(MINUTE)
  assert.equal((await site.alarms())[0]?.cleared_at, back)
  await site.wait(3 * MINUTE)
  const silent = (await site.alarms()).at(-1)
  assert.equal(silent?.topic, `${home.client_id}/obj/a`, 'silence went on where it was')
  // After a restart a gateway that does not come back is gone, too.
  await site.restart()
  await site.judge()
  await site.wait(2 * MINUTE)
  assert.deepEqual(
    (await site.alarms()).map((one) => one.rule_id).filter((id) => id === 0),
    [0, 0]
  )
})

test('a deleted installation leaves nothing, and the others go on', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const [home, other] = [await site.installation(), await site.installation()]
  for (const { id } of [home, other]) {
    await site.rule({ kind: 'installation', id }, { on: { topics: ['#'] }, when: { above: 25 } })
  }
  await site.send(home, 'obj/a', { value: 30 })
  await site.judge()
  await site.send(home, 'obj/a', { value: 20 })
  await site.send(other, 'obj/a', { value: 30 })
  await site.registry.deleteFrom('installations').where('id', '=', home.id).execute()
  await site.judge()
  assert.deepEqual(
    (await site.alarms()).map(({ installation_id }) => installation_id),
    [home.id, other.id]
  )
  const states = await site.registry.selectFrom('alarm_states').select('installation_id').execute()
  assert.deepEqual(
    states.map(({ installation_id }) => installation_id),
    [other.id]
  )
})

test('a registry that fails makes alarms late, and storing does not wait', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const own = { kind: 'installation', id: home.id } as const
  await site.rule(own, { on: { topics: ['obj/#'] }, when: { above: 25 } })
  await site.send(home, 'obj/a', { value: 20 })
  await site.judge()
  await sql`alter table alarms rename to hidden`.execute(site.registry)
  for (let i = 0; i < 10; i++) {
    await site.send(home, 'obj/a', { value: i % 2 === 0 ? 30 : 20 })
    site.now = unixMs(site.now + SECOND)
    await assert.rejects(site.watcher.turn())
  }
  await sql`alter table hidden rename to alarms`.execute(site.registry)
  await site.judge()
  const alarms = await site.alarms()
  assert.deepEqual(
    alarms.map(({ raised_at, cleared_at }) => [raised_at, cleared_at]),
    Array.from({ length: 5 }, (_, i) => [BEGIN + 2 * i * SECOND, BEGIN + (2 * i + 1) * SECOND])
  )
})

test('values that were missed because the rules were too late are in the log', async (t) => {
  const site = await WatchedSite.open(t, temporary(t), BEGIN)
  const home = await site.installation()
  const own = { kind: 'installation', id: home.id } as const
  await site.rule(own, { on: { topics: ['obj/#'] }, when: { above: 25 } })
  await site.send(home, 'obj/a', { value: 20 })
  await site.judge()
  await site.send(home, 'obj/a', { value: 30 })
  const batch = await site.spool.take('mover', { maxSamples: 10, maxBytes: 1000 })
  assert(batch)
  await site.spool.pass('mover', batch)
  await site.spool.moveOn(0)
  await site.send(home, 'obj/a', { value: 31 })
  await site.judge()
  assert.deepEqual(
    (await site.alarms()).map(({ value }) => value),
    [31]
  )
  assert.deepEqual(
    site.logged.map(({ msg }) => msg),
    ['the rules were too far behind and have missed values']
  )
})
