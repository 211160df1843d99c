import { sql } from 'kysely'
import type { RuleDefinition, Severity } from '../../lib/alarm/rule.ts'
import { clearRule } from '../../registry/alarms.ts'
import { recordChange } from '../../registry/changes.ts'
import { flag } from '../../registry/meta.ts'
import type { RuleOwner, RuleRow } from '../../registry/rules.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'

export type RuleFields = RuleDefinition & { name: string; active: boolean; severity: Severity }
export type RuleRecord = RuleFields & { id: number }

const columnOf = ({ kind }: RuleOwner) => `${kind}_id` as const

const toRow = ({ name, active, severity, ...definition }: RuleFields) => ({
  ...{ name, severity, active: flag(active) },
  definition: definitionText(definition)
})

/** As it is stored: without other keys, in the order of answers. */
export const definitionText = (definition: RuleDefinition): string => {
  const { on, when, for: lasting, hysteresis, schedule, message } = definition
  return JSON.stringify({ on, when, for: lasting, hysteresis, schedule, message })
}

type StoredRule = Pick<RuleRow, 'id' | 'name' | 'active' | 'severity' | 'definition'>

export const recordOf = ({ id, name, active, severity, definition }: StoredRule): RuleRecord => ({
  ...{ id, name, active: active === 1, severity },
  ...(JSON.parse(definition) as RuleDefinition)
})

const told = (registry: Registry, owner: RuleOwner, now: number) =>
  recordChange(registry, `${owner.kind}_rule`, owner.id, now)

export async function findRule(
  registry: Registry,
  owner: RuleOwner,
  id: number
): Promise<RuleRecord | undefined> {
  const row = await registry
    .selectFrom('rules')
    .selectAll()
    .where('id', '=', id)
    .where(columnOf(owner), '=', owner.id)
    .executeTakeFirst()
  return row && recordOf(row)
}

export const MAX_RULES = 10_000
/** Of all definitions of an owner, as JSON. A thousand rules may name a thousand topics each. */
export const MAX_BYTES_TOGETHER = 8 * 1024 * 1024

/** Why a rule is not written: there are too many, or they are too long together. */
export type Full = 'too many' | 'too long'

/** Beside the other rules of the owner. */
async function fullBy(
  registry: Registry,
  owner: RuleOwner,
  fields: RuleFields,
  id = 0
): Promise<Full | undefined> {
  const { count, bytes } = await registry
    .selectFrom('rules')
    .select((eb) => [
      eb.fn.countAll().as('count'),
      eb.fn.sum<number | null>(sql<number>`octet_length(definition)`).as('bytes')
    ])
    .where(columnOf(owner), '=', owner.id)
    .where('id', '!=', id)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_RULES) return 'too many'
  const sum = Number(bytes) + Buffer.byteLength(definitionText(fields))
  return sum > MAX_BYTES_TOGETHER ? 'too long' : undefined
}

export const insertRule = (
  registry: Registry,
  owner: RuleOwner,
  fields: RuleFields,
  now: number
): Promise<RuleRecord | Full> =>
  inTransaction(
    registry,
    async (registry) =>
      (await fullBy(registry, owner, fields)) ?? insertRuleWithin(registry, owner, fields, now)
  )

/** In the caller's transaction. */
export async function insertRuleWithin(
  registry: Registry,
  owner: RuleOwner,
  fields: RuleFields,
  now: number
): Promise<RuleRecord> {
  const row = await registry
    .insertInto('rules')
    .values({ ...toRow(fields), [columnOf(owner)]: owner.id, created: now, updated: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  await told(registry, owner, now)
  return recordOf(row)
}

/**
 * All rules of a new installation, in the caller's transaction. Throws if they are longer than the
 * rules of an owner may be.
 */
export async function placeRules(
  registry: Registry,
  installationId: number,
  rules: readonly RuleFields[],
  now: number
): Promise<void> {
  const rows = rules.map((rule) => ({
    ...{ ...toRow(rule), installation_id: installationId, created: now, updated: now }
  }))
  const bytes = rows.reduce((sum, { definition }) => sum + Buffer.byteLength(definition), 0)
  if (rows.length > MAX_RULES || bytes > MAX_BYTES_TOGETHER) {
    throw new Error(
      `an installation has at most ${MAX_RULES} rules of ${MAX_BYTES_TOGETHER} bytes as JSON`
    )
  }
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    const some = rows.slice(start, start + ROWS_PER_INSERT)
    await registry.insertInto('rules').values(some).execute()
  }
  if (rows.length > 0) await told(registry, { kind: 'installation', id: installationId }, now)
}

/** A statement can have only so many variables. */
const ROWS_PER_INSERT = 100

/** `cleared`: the installations that had open alarms of a rule that was switched off or deleted. */
type Changed<Rule> = { rule: Rule; cleared: readonly number[] }

/** `change` may throw. Undefined when there is no such rule. */
export const changeRule = (
  registry: Registry,
  owner: RuleOwner,
  id: number,
  { change, now }: { change: (current: RuleRecord) => RuleFields; now: number }
): Promise<Changed<RuleRecord> | Full | undefined> =>
  inTransaction(registry, async (registry) => {
    const current = await findRule(registry, owner, id)
    if (!current) return undefined
    const fields = change(current)
    const full = await fullBy(registry, owner, fields, id)
    if (full) return full
    const row = { ...toRow(fields), updated: now }
    await registry.updateTable('rules').set(row).where('id', '=', id).execute()
    const cleared = fields.active ? [] : await clearRule(registry, id, now)
    await told(registry, owner, now)
    return { rule: recordOf({ ...row, id }), cleared }
  })

/** Undefined when there is no such rule. */
export const deleteRule = (
  registry: Registry,
  owner: RuleOwner,
  id: number,
  now: number
): Promise<Changed<undefined> | undefined> =>
  inTransaction(registry, async (registry) => {
    const { numDeletedRows } = await registry
      .deleteFrom('rules')
      .where('id', '=', id)
      .where(columnOf(owner), '=', owner.id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return undefined
    const cleared = await clearRule(registry, id, now)
    await told(registry, owner, now)
    return { rule: undefined, cleared }
  })
