import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { clearAlarms, insertAlarms, type NewAlarm } from '../../src/features/alarm/alarms.ts'
import { sweepAlarms } from '../../src/features/alarm/sweep.ts'
import { insertRuleWithin, type RuleFields } from '../../src/features/rule/rows.ts'
import { DAY } from '../../src/lib/unix-time.ts'
import { clearRule } from '../../src/registry/alarms.ts'
import { takeIds } from '../../src/registry/dialect.ts'
import { insertInstallation } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import { listRules, type RuleOwner, readRulesFor } from '../../src/registry/rules.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { onEveryRegistry } from '../support/registries.ts'

const now = 1_800_000_000_000
const rule: RuleFields = {
  ...{ name: 'Warm', active: true, severity: 'warning', on: { topics: ['obj/t'] } },
  ...{ when: { above: 25 }, for: '', hysteresis: 0, schedule: null, message: '' }
}

onEveryRegistry('alarms and rules', (engine) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  let registry: Registry
  const ids = { home: 0, below: 0, elsewhere: 0, installation: 0, other: 0 }
  const alarm = (fields: Partial<NewAlarm> = {}): NewAlarm => ({
    ...{ installation_id: ids.installation, rule_id: 1, topic: '1/obj/t', severity: 'info' },
    ...{ raised_at: now, value: 26.5, message: 'Warm', isTold: true },
    ...fields
  })
  const readAll = () => registry.selectFrom('alarms').selectAll().orderBy('id').execute()
  before(async () => {
    registry = await openRegistry({ url: await engine.url(), dataDir })
    ids.home = await insertOrganization(registry, { name: 'Home', parent_id: null }, now)
    ids.below = await insertOrganization(registry, { name: 'B', parent_id: ids.home }, now)
    ids.elsewhere = await insertOrganization(registry, { name: 'C', parent_id: ids.home }, now)
    const place = { name: 'I', organization_id: ids.below, timezone: 'Europe/Stockholm' }
    ids.installation = await insertInstallation(registry, place, now)
    ids.other = await insertInstallation(registry, { ...place, timezone: '' }, now)
  })
  after(async () => {
    await registry.destroy()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('an alarm is written once, and not for an installation that is gone', async () => {
    const gone = alarm({ installation_id: 999_999 })
    const later = alarm({ raised_at: now + 1, cleared_at: now + 5, isTold: false, value: null })
    const written = await insertAlarms(registry, [alarm(), gone, later, alarm()])
    assert.deepEqual(
      written.map(({ raised_at, cleared_at, is_told, value }) => [
        ...[raised_at, cleared_at, is_told, value]
      ]),
      [
        [now, null, 1, 26.5],
        [now + 1, now + 5, 0, null]
      ]
    )
    assert.deepEqual(await insertAlarms(registry, [alarm(), later]), [])
    assert.deepEqual(await readAll(), written)
    assert.deepEqual(await insertAlarms(registry, []), [])
  })

  test('ids are taken once, and rows without one get others', async () => {
    const [first, second, ...more] = await takeIds(registry, 'alarms', 2)
    assert(first !== undefined && second === first + 1 && more.length === 0)
    const [next] = await insertAlarms(registry, [alarm({ raised_at: now + 2 })])
    assert(next && next.id > second)
    const [taken] = await takeIds(registry, 'alarms', 1)
    assert(taken !== undefined && taken > next.id)
    const [row] = await insertAlarms(registry, [alarm({ id: taken, raised_at: now + 3 })])
    assert.equal(row?.id, taken)
    assert.deepEqual(await takeIds(registry, 'alarms', 0), [])
  })

  test('an open alarm is cleared once, by its topic or its time as well', async () => {
    await registry.deleteFrom('alarms').execute()
    const raises = [now, now + 1000]
    await insertAlarms(registry, [
      ...raises.map((raised_at) => alarm({ raised_at })),
      ...[alarm({ topic: '1/obj/é"' }), alarm({ rule_id: 2 }), alarm({ rule_id: 0 })],
      alarm({ installation_id: ids.other })
    ])
    const clearedAt = async () => (await readAll()).map(({ cleared_at }) => cleared_at)
    const { installation_id, rule_id, topic } = alarm()
    const one = { installation_id, rule_id, topic, raised_at: now, cleared_at: now + 7 }
    assert.deepEqual(await clearAlarms(registry, [one]), new Set([installation_id]))
    assert.deepEqual(await clearedAt(), [now + 7, null, null, null, null, null])
    assert.deepEqual(await clearAlarms(registry, [{ ...one, cleared_at: now + 8 }]), new Set())
    const whole = { installation_id, rule_id, topic, cleared_at: now + 9 }
    const accent = { ...whole, topic: '1/obj/é"' }
    await clearAlarms(registry, [whole, accent, { ...whole, installation_id: 999_999 }])
    assert.deepEqual(await clearedAt(), [now + 7, now + 9, now + 9, null, null, null])
    assert.deepEqual(await clearAlarms(registry, []), new Set())
  })

  test('the open alarms of a rule end together, in all installations', async () => {
    await registry.deleteFrom('alarms').execute()
    const many = Array.from({ length: 1200 }, (_, i) => alarm({ topic: `1/obj/${i}` }))
    await insertAlarms(registry, [
      ...many,
      alarm({ installation_id: ids.other }),
      alarm({ rule_id: 2 })
    ])
    const found = await clearRule(registry, 1, now + 3)
    assert.deepEqual(found.sort(), [ids.installation, ids.other].sort())
    const open = (await readAll()).filter(({ cleared_at }) => cleared_at === null)
    assert.deepEqual(
      open.map(({ rule_id }) => rule_id),
      [2]
    )
    assert.deepEqual(await clearRule(registry, 1, now + 4), [])
  })

  test('cleared alarms go a year after they were raised, open ones stay', async () => {
    await registry.deleteFrom('alarms').execute()
    const old = now - 367 * DAY
    const many = Array.from({ length: 1100 }, (_, i) => ({
      ...alarm({ topic: `1/obj/${i}`, raised_at: old + i, cleared_at: now })
    }))
    const kept = [
      alarm({ topic: 'open', raised_at: old }),
      alarm({ topic: 'new', raised_at: now - 365 * DAY, cleared_at: now })
    ]
    await insertAlarms(registry, [...many, ...kept])
    await sweepAlarms(registry, now)
    assert.deepEqual(
      (await readAll()).map(({ topic }) => topic),
      ['open', 'new']
    )
  })

  test('readRulesFor: active ones of the installation, then of the organizations above', async () => {
    const put = (owner: RuleOwner, name: string, active = true) =>
      insertRuleWithin(registry, owner, { ...rule, name, active }, now)
    await put({ kind: 'organization', id: ids.home }, 'home')
    await put({ kind: 'organization', id: ids.elsewhere }, 'elsewhere')
    await put({ kind: 'organization', id: ids.below }, 'below')
    await put({ kind: 'installation', id: ids.installation }, 'own')
    await put({ kind: 'installation', id: ids.installation }, 'off', false)
    await put({ kind: 'installation', id: ids.other }, 'other')
    const found = await readRulesFor(registry, ids.installation)
    assert.equal(found?.timezone, 'Europe/Stockholm')
    assert.deepEqual(
      found?.rules.map(({ name }) => name),
      ['own', 'below', 'home']
    )
    assert.equal(await readRulesFor(registry, 999_999), undefined)
  })

  test('rules are read in parts, none of them large', async () => {
    const owner = { kind: 'installation', id: ids.other } as const
    const topics = Array.from({ length: 1000 }, (_, i) => `obj/${'x'.repeat(100)}/${i}`)
    for (let i = 0; i < 12; i++) {
      await insertRuleWithin(registry, owner, { ...rule, name: `${i}`, on: { topics } }, now)
    }
    const parts: string[][] = []
    for await (const part of listRules(registry, owner)) parts.push(part.map(({ name }) => name))
    assert.deepEqual(parts.flat(), ['other', ...Array.from({ length: 12 }, (_, i) => `${i}`)])
    assert(parts.length > 2 && parts.every(({ length }) => length < 6), JSON.stringify(parts))
  })
})
