import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Severity } from '../../lib/alarm/rule.ts'
import type { Scope } from '../../lib/scope.ts'
import { isOneOf } from '../../registry/dialect.ts'
import { isWithin } from '../../registry/installations.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import type { AlarmRow } from './alarms.ts'

export const alarmStates = ['raised', 'acknowledged', 'cleared'] as const
export type AlarmState = (typeof alarmStates)[number]

export type AlarmFilter = {
  /** Of `raised_at`, both inclusive. */
  from: number
  to: number
  state?: AlarmState | undefined
  severity?: Severity | undefined
}

/**
 * Whose alarms are read. A few installations are looked up one by one; many are found in the alarms
 * of all.
 */
export type AlarmReach = { few: readonly number[] } | { many: Scope } | 'everything'

/** More would make the statement long. */
export const MAX_FEW = 50

/** How many alarms one query looks at: with SQLite all other requests wait meanwhile. */
const ALARMS_PER_SLICE = 2000
/** How many alarms one query reads. Messages and notes may be long. */
const ALARMS_PER_PART = 100

export const stateOf = ({
  acknowledged_at,
  cleared_at
}: Pick<AlarmRow, 'acknowledged_at' | 'cleared_at'>): AlarmState => {
  if (cleared_at !== null) return 'cleared'
  return acknowledged_at === null ? 'raised' : 'acknowledged'
}

/** Newest first, in parts. */
export async function* listAlarms(
  registry: Registry,
  reach: AlarmReach,
  filter: AlarmFilter,
  { limit, offset }: { limit: number; offset: number }
): AsyncGenerator<AlarmRow[]> {
  const isWanted = wantedBy(registry, reach, filter)
  let [skip, left] = [offset, limit]
  let after: Place | undefined
  while (left > 0) {
    const last = await placeAfter(registry, reach, filter, after)
    const within = (after: Place | undefined) =>
      registry
        .selectFrom('alarms')
        .where(between(filter, after, last))
        .where(isWanted)
    const count = skip === 0 ? 0 : await countOf(within(after))
    let isRest = skip === 0 || skip < count
    while (isRest && left > 0) {
      const part: AlarmRow[] = await within(after)
        .selectAll()
        .orderBy('raised_at', 'desc')
        .orderBy('id', 'desc')
        .limit(Math.min(left, ALARMS_PER_PART))
        .offset(skip)
        .execute()
      left -= part.length
      skip = 0
      if (part.length > 0) yield part
      isRest = part.length === ALARMS_PER_PART
      after = part.at(-1)
    }
    skip = Math.max(0, skip - count)
    if (!last) return
    after = last
  }
}

const countOf = async (alarms: SelectQueryBuilder<Tables, 'alarms', object>): Promise<number> => {
  const counted = alarms.select((eb) => eb.fn.countAll().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

type Place = { raised_at: number; id: number }

const newestFirst = sql`order by raised_at desc, id desc`

/**
 * The place of the last alarm of the next slice. Undefined: the rest is one slice. Each installation
 * has its share of a slice. The slice ends where the first share ends, so none has more.
 */
async function placeAfter(
  registry: Registry,
  reach: AlarmReach,
  filter: AlarmFilter,
  after: Place | undefined
): Promise<Place | undefined> {
  const isFew = reach !== 'everything' && 'few' in reach
  const owners = isFew
    ? reach.few.map((id) => sql<SqlBool>`installation_id = ${id}`)
    : [sql<SqlBool>`1 = 1`]
  if (owners.length === 0) return undefined
  const share = Math.ceil(ALARMS_PER_SLICE / owners.length)
  const ends = owners.map(
    (isOwn) => sql`select * from (
      select raised_at, id from alarms where ${isOwn} and ${between(filter, after)}
      ${newestFirst} limit 1 offset ${sql.lit(share - 1)}) as share`
  )
  const { rows } = await sql<Place>`select * from (${sql.join(ends, sql` union all `)}) as ends
    ${newestFirst} limit 1`.execute(registry)
  return rows[0]
}

/** The alarms after one place, up to and including another. */
function between(
  { from, to, state }: AlarmFilter,
  after?: Place,
  last?: Place
): Expression<SqlBool> {
  // SQLite uses the index for the bounds of time; the pairs only separate alarms of the same time.
  const terms = [
    sql`raised_at >= ${last?.raised_at ?? from}`,
    sql`raised_at <= ${after?.raised_at ?? to}`,
    after && sql`(raised_at, id) < (${after.raised_at}, ${after.id})`,
    last && sql`(raised_at, id) >= (${last.raised_at}, ${last.id})`,
    // Few alarms are open, and an index has only these.
    (state === 'raised' || state === 'acknowledged') && sql`cleared_at is null`
  ]
  return sql<SqlBool>`${sql.join(
    terms.filter((term) => term !== undefined && term !== false),
    sql` and `
  )}`
}

function wantedBy(
  registry: Registry,
  reach: AlarmReach,
  { state, severity }: AlarmFilter
): Expression<SqlBool> {
  const terms = [sql`1 = 1`]
  if (state === 'raised') terms.push(sql`acknowledged_at is null`)
  if (state === 'acknowledged') terms.push(sql`acknowledged_at is not null`)
  if (state === 'cleared') terms.push(sql`cleared_at is not null`)
  if (severity !== undefined) terms.push(sql`severity = ${severity}`)
  if (reach !== 'everything') {
    terms.push(
      'few' in reach
        ? isOneOf(registry, sql.ref('installation_id'), reach.few)
        : sql`exists (select 1 from installations
            where installations.id = alarms.installation_id and ${isWithin(registry, reach.many)})`
    )
  }
  return sql<SqlBool>`${sql.join(terms, sql` and `)}`
}

/** Replaces an acknowledgement that is there. Undefined when there is no such alarm. */
export async function acknowledgeAlarm(
  registry: Registry,
  { installation_id, id }: { installation_id: number; id: number },
  { by, note, now }: { by: number; note: string; now: number }
): Promise<AlarmRow | undefined> {
  return registry
    .updateTable('alarms')
    .set({ acknowledged_at: now, acknowledged_by: by || null, note })
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .returningAll()
    .executeTakeFirst()
}
