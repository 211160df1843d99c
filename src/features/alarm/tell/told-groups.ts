import { sql } from 'kysely'
import { isOneOf } from '../../../registry/dialect.ts'
import type { Registry } from '../../../registry/tables.ts'
import type { AlarmRow } from '../alarms.ts'
import type { HowChanged } from './tables.ts'

/** Read at once, so that others work in between. */
const ROWS_PER_PART = 250
const IDS_PER_PART = 1000
/** So many rows of a group are told. Of the others only the number is. */
export const MAX_ROWS = 1000
/** Rows that are remembered. */
const MAX_REMEMBERED_ROWS = 10_000

/** Alarms of a group that the same people are told of. */
export type Bundle = {
  how: HowChanged
  /** The groups in which their begin was told. Only for the end of alarms. */
  before: readonly number[]
  ids: number[]
  /** The first ones. */
  rows: AlarmRow[]
}

/** What groups of alarms say at the moment. Many people are told of the same: make one for all. */
export class ToldGroups {
  readonly #registry: Registry
  readonly #known = new Map<number, Promise<Bundle[]>>()
  #rows = 0

  constructor(registry: Registry) {
    this.#registry = registry
  }

  of(groupId: number): Promise<Bundle[]> {
    if (this.#rows > MAX_REMEMBERED_ROWS) {
      this.#known.clear()
      this.#rows = 0
    }
    const found = this.#known.get(groupId) ?? this.#read(groupId)
    this.#known.set(groupId, found)
    return found
  }

  async #read(groupId: number): Promise<Bundle[]> {
    const bundles = new Map<string, Bundle>()
    for (let last = 0; ; ) {
      const members = await this.#registry
        .selectFrom('alarm_group_members')
        .select(['alarm_id', 'how'])
        .where('group_id', '=', groupId)
        .where('alarm_id', '>', last)
        .orderBy('alarm_id')
        .limit(IDS_PER_PART)
        .execute()
      const end = members.at(-1)
      if (!end) break
      last = end.alarm_id
      const ended = members.filter(({ how }) => how === 'cleared').map((one) => one.alarm_id)
      const before = await this.#before(groupId, ended)
      for (const { alarm_id, how } of members) {
        const groups = before.get(alarm_id) ?? []
        const key = `${how} ${groups.join(' ')}`
        const bundle = bundles.get(key) ?? { how, before: groups, ids: [], rows: [] }
        bundles.set(key, bundle)
        bundle.ids.push(alarm_id)
      }
    }
    for (const bundle of bundles.values()) {
      bundle.rows = await this.#rowsOf(bundle.ids.slice(0, MAX_ROWS))
      this.#rows += bundle.rows.length
    }
    return [...bundles.values()]
  }

  async #before(groupId: number, alarmIds: readonly number[]): Promise<Map<number, number[]>> {
    const found = new Map<number, number[]>()
    if (alarmIds.length === 0) return found
    const rows = await this.#registry
      .selectFrom('alarm_group_members')
      .select(['alarm_id', 'group_id'])
      .where(isOneOf(this.#registry, sql.ref('alarm_id'), alarmIds))
      .where('group_id', '<', groupId)
      .orderBy('alarm_id')
      .orderBy('group_id')
      .execute()
    for (const { alarm_id, group_id } of rows) {
      const groups = found.get(alarm_id)
      if (groups) groups.push(group_id)
      else found.set(alarm_id, [group_id])
    }
    return found
  }

  async #rowsOf(ids: readonly number[]): Promise<AlarmRow[]> {
    const rows: AlarmRow[] = []
    for (let start = 0; start < ids.length; start += ROWS_PER_PART) {
      const some = await this.#registry
        .selectFrom('alarms')
        .selectAll()
        .where(isOneOf(this.#registry, sql.ref('id'), ids.slice(start, start + ROWS_PER_PART)))
        .orderBy('id')
        .execute()
      rows.push(...some)
    }
    return rows
  }
}
