import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
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
      message: '{{.payload.topic}} is {{.payload.value}}'
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
      ...{ acknowledged_at: null, acknowledged_by: null, note: '', is_told: 1 },
      message: `${home.client_id}/obj/t is 26.5`
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
