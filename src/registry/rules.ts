import { type Selectable, sql } from 'kysely'
import { recordChange } from './changes.ts'
import type { Registry, Tables } from './tables.ts'

export type RuleOwner = { kind: 'installation' | 'organization'; id: number }
export type RuleRow = Selectable<Tables['rules']>

/** Definitions in one part, so that no part blocks the event loop for long. */
const ROWS_PER_PART = 500
const MAX_PART_BYTES = 512 * 1024

/** In parts, sorted by id. */
export async function* listRules(
  registry: Registry,
  owner: RuleOwner,
  { activeOnly = false } = {}
): AsyncGenerator<RuleRow[]> {
  const own = registry.selectFrom('rules').where(`${owner.kind}_id`, '=', owner.id)
  const wanted = activeOnly ? own.where('active', '=', 1) : own
  for (let last = 0; ; ) {
    const sizes = await wanted
      .select(['id', sql<number>`octet_length(definition)`.as('bytes')])
      .where('id', '>', last)
      .orderBy('id')
      .limit(ROWS_PER_PART)
      .execute()
    const end = lastOfPart(sizes)
    if (end === undefined) return
    yield await wanted
      .selectAll()
      .where('id', '>', last)
      .where('id', '<=', end)
      .orderBy('id')
      .execute()
    last = end
  }
}

/** At least one row. Undefined: there are no more. */
function lastOfPart(sizes: readonly { id: number; bytes: number }[]): number | undefined {
  let [last, sum]: [number | undefined, number] = [undefined, 0]
  for (const { id, bytes } of sizes) {
    sum += Number(bytes)
    if (last !== undefined && sum > MAX_PART_BYTES) break
    last = id
  }
  return last
}

/** Whether any rule of the platform is active. */
export async function hasRules(registry: Registry): Promise<boolean> {
  const row = await registry
    .selectFrom('rules')
    .select('id')
    .where('active', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Functions of the installation change in this transaction: rules may ask for them. Call it before
 * other rows are locked, because it waits for other changes.
 */
export async function functionsChange(
  registry: Registry,
  installationId: number,
  now: number
): Promise<void> {
  const rule = await registry
    .selectFrom('rules')
    .select('id')
    .where('active', '=', 1)
    .where((eb) =>
      eb.or([eb('installation_id', '=', installationId), eb('organization_id', 'is not', null)])
    )
    .limit(1)
    .executeTakeFirst()
  if (rule) await recordChange(registry, 'installation_rule', installationId, now)
}

/** Organizations have at most so many levels; a circle would not end. */
const MAX_LEVELS = 100

/** Who has active rules: installations, and organizations with all that are below them. */
export async function watchedOwners(
  registry: Registry
): Promise<{ installations: Set<number>; organizations: Set<number> }> {
  const own = await registry
    .selectFrom('rules')
    .select('installation_id')
    .distinct()
    .where('active', '=', 1)
    .where('installation_id', 'is not', null)
    .execute()
  const { rows } = await sql<{ id: number }>`
    with recursive below(id, level) as (
      select distinct organization_id, 1 from rules
        where active = 1 and organization_id is not null
      union
      select child.id, below.level + 1
        from organizations as child join below on child.parent_id = below.id
        where below.level < ${sql.lit(MAX_LEVELS)}
    )
    select distinct id from below`.execute(registry)
  return {
    installations: new Set(own.map(({ installation_id }) => Number(installation_id))),
    organizations: new Set(rows.map(({ id }) => Number(id)))
  }
}

/**
 * Whose rules watch an installation: itself, then its organizations from the nearest up. With its
 * time zone, which may be empty. Undefined if it is gone.
 */
export async function ruleOwnersOf(
  registry: Registry,
  installationId: number
): Promise<{ timezone: string; owners: RuleOwner[] } | undefined> {
  const installation = await registry
    .selectFrom('installations')
    .select('timezone')
    .where('id', '=', installationId)
    .executeTakeFirst()
  if (!installation) return undefined
  const { rows } = await sql<{ id: number }>`
    with recursive above(id, parent_id, level) as (
      select organizations.id, parent_id, 1 from organizations
        join installations on installations.organization_id = organizations.id
        where installations.id = ${installationId}
      union
      select parent.id, parent.parent_id, above.level + 1
        from organizations as parent join above on parent.id = above.parent_id
        where above.level < ${sql.lit(MAX_LEVELS)}
    )
    select id from above order by level`.execute(registry)
  const above = rows.map(({ id }): RuleOwner => ({ kind: 'organization', id }))
  return {
    timezone: installation.timezone,
    owners: [{ kind: 'installation', id: installationId }, ...above]
  }
}

/**
 * The active rules that watch an installation, in the order of their owners. Undefined if the
 * installation is gone. Those of an organization are the same for all installations in it; who reads
 * many installations reads each owner once, with `ruleOwnersOf` and `listRules`.
 */
export async function readRulesFor(
  registry: Registry,
  installationId: number
): Promise<{ timezone: string; rules: RuleRow[] } | undefined> {
  const found = await ruleOwnersOf(registry, installationId)
  if (!found) return undefined
  const rules: RuleRow[] = []
  for (const owner of found.owners) {
    for await (const part of listRules(registry, owner, { activeOnly: true })) {
      for (const row of part) rules.push(row)
    }
  }
  return { timezone: found.timezone, rules }
}
