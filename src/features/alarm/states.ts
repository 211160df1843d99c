import { sql } from 'kysely'
import { type StoredState, stateOf, storedState, type WatchState } from '../../lib/alarm/judge.ts'
import { forKeyShare, isOneOf } from '../../registry/dialect.ts'
import type { Registry } from '../../registry/tables.ts'
import type { Held } from './held-clock.ts'

/** The part that is about the installation itself. */
export const HEAD = 0

/** `wasConnected`: its gateway was connected at least once. */
export type HeadState = Held & { wasConnected: boolean }
/** `cursors`: the last sample of each node that was judged. `topics`: by topic and rule. */
export type PartState = {
  cursors: ReadonlyMap<string, number>
  topics: ReadonlyMap<string, ReadonlyMap<number, WatchState>>
}
export type StateRow = { installation_id: number; part: number; state: string }
/** Null: the part is empty and deleted. */
export type StateChange = Omit<StateRow, 'state'> & { state: string | null }

export const headText = ({ held, since, wasConnected }: HeadState): string =>
  JSON.stringify({ held, since, gateway: wasConnected ? 1 : undefined })

export function headOf(text: string): HeadState {
  const { held, since, gateway } = JSON.parse(text)
  return { held, since, wasConnected: gateway === 1 }
}

export const emptyHead: HeadState = { held: 0, since: undefined, wasConnected: false }

export const partText = ({ cursors, topics }: PartState): string =>
  JSON.stringify({
    cursors: Object.fromEntries(cursors),
    topics: Array.from(topics, ([topic, states]) => [
      topic,
      Array.from(states, ([rule, state]) => [rule, storedState(state)]).flat()
    ])
  })

export function partOf(text: string): PartState {
  const { cursors, topics } = JSON.parse(text) as {
    cursors: Record<string, number>
    topics: [topic: string, states: unknown[]][]
  }
  return {
    cursors: new Map(Object.entries(cursors)),
    topics: new Map(topics.map(([topic, states]) => [topic, new Map(pairs(states))]))
  }
}

function* pairs(flat: readonly unknown[]): Generator<[number, WatchState]> {
  for (let i = 0; i + 1 < flat.length; i += 2) {
    yield [Number(flat[i]), stateOf(flat[i + 1] as StoredState)]
  }
}

/** Of one installation. */
export const readStates = (registry: Registry, installationId: number): Promise<StateRow[]> =>
  registry
    .selectFrom('alarm_states')
    .selectAll()
    .where('installation_id', '=', installationId)
    .orderBy('part')
    .execute()

const IDS_PER_PAGE = 5000

/** The installations that have states of topics, in pages. */
export async function* installationsWithStates(registry: Registry): AsyncGenerator<number[]> {
  for (let last = 0; ; ) {
    const rows = await registry
      .selectFrom('alarm_states')
      .select('installation_id')
      .distinct()
      .where('installation_id', '>', last)
      .where('part', '>', HEAD)
      .orderBy('installation_id')
      .limit(IDS_PER_PAGE)
      .execute()
    if (rows.length === 0) return
    yield rows.map(({ installation_id }) => installation_id)
    last = rows.at(-1)?.installation_id ?? 0
  }
}

/** The installations whose gateway was connected at least once, in pages. */
export async function* connectedOnce(registry: Registry): AsyncGenerator<number[]> {
  for (let last = 0; ; ) {
    const rows = await registry
      .selectFrom('alarm_states')
      .select(['installation_id', 'state'])
      .where('installation_id', '>', last)
      .where('part', '=', HEAD)
      .orderBy('installation_id')
      .limit(IDS_PER_PAGE)
      .execute()
    if (rows.length === 0) return
    yield rows.flatMap(({ installation_id, state }) =>
      headOf(state).wasConnected ? [installation_id] : []
    )
    last = rows.at(-1)?.installation_id ?? 0
  }
}

/** In the caller's transaction. States of installations that are gone are left out. */
export async function writeStates(
  registry: Registry,
  changes: readonly StateChange[]
): Promise<void> {
  const ids = [...new Set(changes.map(({ installation_id }) => installation_id))]
  if (ids.length === 0) return
  const { rows } = await sql<{ id: number }>`
    select id from installations where ${isOneOf(registry, sql.ref('id'), ids)}
    order by id ${forKeyShare(registry)}`.execute(registry)
  const there = new Set(rows.map(({ id }) => id))
  for (const { installation_id, part, state } of changes) {
    if (!there.has(installation_id)) continue
    if (state === null) {
      await registry
        .deleteFrom('alarm_states')
        .where('installation_id', '=', installation_id)
        .where('part', '=', part)
        .execute()
      continue
    }
    await registry
      .insertInto('alarm_states')
      .values({ installation_id, part, state })
      .onConflict((conflict) =>
        conflict.columns(['installation_id', 'part']).doUpdateSet({ state })
      )
      .execute()
  }
}

/** The gateways of these installations have connected. What their heads have besides stays. */
export const markConnected = (registry: Registry, ids: readonly number[]): Promise<void> =>
  registry.transaction().execute(async (registry) => {
    const { rows } = await sql<{ installation_id: number; state: string }>`
      select installation_id, state from alarm_states
      where part = ${sql.lit(HEAD)} and ${isOneOf(registry, sql.ref('installation_id'), ids)}`.execute(
      registry
    )
    const heads = new Map(
      rows.map(({ installation_id, state }) => [installation_id, headOf(state)])
    )
    const changes = ids.map((installation_id) => ({
      ...{ installation_id, part: HEAD },
      state: headText({ ...(heads.get(installation_id) ?? emptyHead), wasConnected: true })
    }))
    await writeStates(registry, changes)
  })
