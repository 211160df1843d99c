import { type Expression, type Selectable, type SqlBool, sql } from 'kysely'
import type { Scope } from '../../lib/scope.ts'
import type { TraceAction, TraceObject } from '../../lib/trace.ts'
import { isOneOf, isOneOfTexts, jsonRows, valuesOf } from '../../registry/dialect.ts'
import { isWithin } from '../../registry/installations.ts'
import { prepared } from '../../registry/prepared.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { isUserWithin, type UserScope } from '../../registry/users.ts'

export type TraceRow = Selectable<Tables['trace']>
export type NewTrace = Omit<TraceRow, 'id'>

/**
 * What a caller may read of the trace. For deleted objects, the organization they were in counts.
 */
export type TraceReach =
  | 'everything'
  | {
      /** The caller sees the actions of this user. */
      userId: number
      installations: Scope
      /** The caller sees deleted installations of these organizations. */
      goneInstallations: readonly number[]
      users: UserScope
      /** Other kinds of objects, and the organizations in which the caller sees them. */
      others: readonly { kinds: readonly TraceObject[]; organizationIds: readonly number[] }[]
    }

export type TraceFilter = {
  from: number
  to: number
  object?: { type: TraceObject; id: number } | undefined
  id?: number | undefined
  actions?: readonly TraceAction[] | undefined
  object_type?: TraceObject | undefined
  /** The installation itself and what is in it. */
  installation_id?: number | undefined
  user_id?: number | undefined
}
export type TracePage = { limit: number; offset: number; order: 'asc' | 'desc' }

/** How many entries one query reads: with SQLite all other requests wait meanwhile. */
const ENTRIES_PER_SLICE = 5000

const columns = {
  timestamp: 'bigint',
  user_id: 'bigint',
  method: 'text',
  path: 'text',
  action: 'text',
  object_type: 'text',
  object_id: 'bigint',
  installation_id: 'bigint',
  organization_id: 'bigint',
  description: 'text',
  address: 'text'
} as const satisfies Record<keyof NewTrace, 'bigint' | 'text'>

const insertRows = prepared((registry) => ({
  compile: () => {
    const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)))
    const rows = jsonRows(registry, '[]', columns)
    return sql`insert into trace (${names}) select ${names} from ${rows}`.compile(registry)
  }
}))

/** Inserts any number of entries with the same prepared statement. */
export async function insertTrace(registry: Registry, entries: readonly NewTrace[]): Promise<void> {
  await insertRows(registry, [JSON.stringify(entries)])
}

/** Inserts the entries that are gathered when a connection is free. */
export const insertGathered = (
  registry: Registry,
  gathered: () => readonly NewTrace[]
): Promise<void> => registry.connection().execute((registry) => insertTrace(registry, gathered()))

/** A page sorted by time, and the number of all entries. `pause` lets others work and may throw. */
export async function readTrace(
  registry: Registry,
  reach: TraceReach,
  filter: TraceFilter,
  { limit, offset, order, pause }: TracePage & { pause: () => Promise<void> }
): Promise<{ rows: TraceRow[]; total: number }> {
  const wanted = await wantedBy(registry, reach, filter)
  const rows: TraceRow[] = []
  let total = 0
  for await (const slice of slices(registry, filter, order)) {
    const within = registry.selectFrom('trace').where(slice).where(wanted)
    const { count } = await within
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    const skip = Math.max(0, offset - total)
    const take = limit - rows.length
    if (skip < count && take > 0) {
      const page = await within
        .selectAll()
        .orderBy('timestamp', order)
        .orderBy('id', order)
        .limit(take)
        .offset(skip)
        .execute()
      for (const row of page) rows.push(row)
    }
    total += count
    await pause()
  }
  return { rows, total }
}

type Place = { timestamp: number; id: number }

/** Splits the entries of the filter into slices; each slice is a condition. */
async function* slices(
  registry: Registry,
  filter: TraceFilter,
  order: 'asc' | 'desc'
): AsyncGenerator<Expression<SqlBool>> {
  let after: Place | undefined
  for (;;) {
    const last: Place | undefined = await registry
      .selectFrom('trace')
      .select(['timestamp', 'id'])
      .where(between(filter, order, after))
      .orderBy('timestamp', order)
      .orderBy('id', order)
      .limit(1)
      .offset(ENTRIES_PER_SLICE - 1)
      .executeTakeFirst()
    yield between(filter, order, after, last)
    if (!last) return
    after = last
  }
}

/** The entries after one place, up to and including another, in this order. */
function between(
  { from, to, object, id }: TraceFilter,
  order: 'asc' | 'desc',
  after?: Place,
  last?: Place
): Expression<SqlBool> {
  const [first, final] = order === 'asc' ? [after, last] : [last, after]
  const isBehind = order === 'asc' ? sql`>` : sql`<`
  // SQLite uses the index for the bounds of time; the pairs only separate entries of the same time.
  const terms = [
    sql`timestamp >= ${first?.timestamp ?? from}`,
    sql`timestamp <= ${final?.timestamp ?? to}`,
    object && sql`object_type = ${object.type} and object_id = ${object.id}`,
    id !== undefined && sql`id = ${id}`,
    after && sql`(timestamp, id) ${isBehind} (${after.timestamp}, ${after.id})`,
    last && sql`not (timestamp, id) ${isBehind} (${last.timestamp}, ${last.id})`
  ]
  return sql<SqlBool>`${sql.join(
    terms.filter((term) => term !== undefined && term !== false),
    sql` and `
  )}`
}

function asked(registry: Registry, filter: TraceFilter): Expression<SqlBool> {
  const { actions, object_type, installation_id, user_id } = filter
  const terms = [
    sql`1 = 1`,
    actions && isOneOfTexts(registry, sql.ref('action'), actions),
    object_type && sql`object_type = ${object_type}`,
    installation_id && sql`trace.installation_id = ${installation_id}`,
    user_id !== undefined && sql`user_id = ${user_id}`
  ]
  return sql<SqlBool>`${sql.join(
    terms.filter((term) => typeof term === 'object'),
    sql` and `
  )}`
}

async function wantedBy(
  registry: Registry,
  reach: TraceReach,
  filter: TraceFilter
): Promise<Expression<SqlBool>> {
  const isAsked = asked(registry, filter)
  if (reach === 'everything') return isAsked
  const recorded = sql<number>`trace.organization_id`
  const withHeirs = async (ids: readonly number[], organization = recorded) =>
    isOneOf(registry, organization, await withInherited(registry, ids))
  const isOwn = sql<SqlBool>`(user_id = ${reach.userId} and user_id <> 0)`
  const isInstallation = sql<SqlBool>`(trace.installation_id is not null
    and object_type <> 'mqtt' and (
    exists (select 1 from installations
      where installations.id = trace.installation_id and ${isWithin(registry, reach.installations)})
    or (${await withHeirs(reach.goneInstallations)} and not exists
      (select 1 from installations where installations.id = trace.installation_id))))`
  const isUser = sql<SqlBool>`(object_type = 'user' and (
    exists (select 1 from users where users.id = object_id and ${isUserWithin(registry, reach.users)})
    or (${await withHeirs(reach.users.organizationIds)} and not exists
      (select 1 from users where users.id = object_id))))`
  // Blacklist entries move with their installation, but need another permission to be seen.
  const current = sql<number>`coalesce((select installations.organization_id from installations
    where installations.id = trace.installation_id), ${recorded})`
  const isOther = reach.others.map(
    async ({ kinds, organizationIds }) => sql<SqlBool>`(
      (trace.installation_id is null or object_type = 'mqtt')
      and ${isOneOfTexts(registry, sql.ref('object_type'), kinds)}
      and ${await withHeirs(organizationIds, current)})`
  )
  const isSeen = [isOwn, isInstallation, isUser, ...(await Promise.all(isOther))]
  return sql<SqlBool>`(${isAsked} and (${sql.join(isSeen, sql` or `)}))`
}

/** The organizations, and deleted ones that were below them. */
async function withInherited(registry: Registry, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    with recursive reached(id) as (
      select value from ${valuesOf(registry, ids)}
      union
      select heirs.organization_id from organization_heirs as heirs
        join reached on heirs.heir_id = reached.id
    ) select id from reached`.execute(registry)
  return rows.map(({ id }) => id)
}

/** Runs before organizations are deleted: the one above inherits their entries. */
export async function bequeath(registry: Registry, ids: readonly number[]): Promise<void> {
  await sql`insert into organization_heirs (organization_id, heir_id)
    select id, parent_id from organizations
    where parent_id is not null and ${isOneOf(registry, sql.ref('id'), ids)}`.execute(registry)
}

/** Deletes up to `limit` entries older than `before`. Returns how many. */
export async function forgetTrace(
  registry: Registry,
  before: number,
  limit: number
): Promise<number> {
  const { numDeletedRows } = await registry
    .deleteFrom('trace')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('trace')
        .select('id')
        .where('timestamp', '<', before)
        .orderBy('timestamp')
        .limit(limit)
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
