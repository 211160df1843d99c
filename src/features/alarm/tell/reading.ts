import { sql } from 'kysely'
import { Turns } from '../../../lib/turns.ts'
import type { Directory } from '../../../permission/directory.ts'
import { isOneOf } from '../../../registry/dialect.ts'
import type { Registry } from '../../../registry/tables.ts'
import type { AlarmRow } from '../alarms.ts'
import type { MessageRow } from './messages.ts'
import type { Recipients } from './recipients.ts'
import { bySeverity, type Place, type Told } from './told.ts'
import { type Bundle, MAX_ROWS, type ToldGroups } from './told-groups.ts'

const LINKS_PER_PART = 500
/** Of one message. The rest is in the list of alarms. */
const MAX_ALARMS = 20_000

type Parts = {
  registry: Registry
  directory: Directory
  recipients: Recipients
  groups: ToldGroups
  timezone: string
}

/** What a message tells at this moment: only what its user may still list. */
export async function readTold(parts: Parts, message: MessageRow): Promise<Told> {
  const { registry, groups, timezone } = parts
  const collected = new Collected()
  const mayList = listable(parts, message.user_id)
  const knows = new Begins(registry, message.user_id)
  for await (const links of linksOf(registry, message.id)) {
    for (const { group_id, installation_id, level } of links) {
      if (!(await mayList(installation_id))) continue
      for (const bundle of await groups.of(group_id)) {
        if (await knows.isTold(bundle)) collected.add(bundle, level)
      }
      collected.places.add(installation_id)
    }
    if (collected.size >= MAX_ALARMS) break
  }
  const places = await readPlaces(registry, [...collected.places], timezone)
  // Many are told of the same at once, and each message is some work.
  await new Turns().next()
  return { ...collected.told, places }
}

type Link = { group_id: number; installation_id: number; level: number }

async function* linksOf(registry: Registry, messageId: number): AsyncGenerator<Link[]> {
  for (let last = 0; ; ) {
    const links = await registry
      .selectFrom('alarm_message_groups')
      .innerJoin('alarm_groups', 'alarm_groups.id', 'group_id')
      .select(['group_id', 'installation_id', 'level'])
      .where('message_id', '=', messageId)
      .where('group_id', '>', last)
      .orderBy('group_id')
      .limit(LINKS_PER_PART)
      .execute()
    const end = links.at(-1)
    if (!end) return
    yield links
    last = end.group_id
  }
}

function listable({ directory, recipients }: Parts, userId: number) {
  const known = new Map<number, boolean>()
  return async (id: number): Promise<boolean> => {
    const installation = directory.installation(id)
    const may = known.get(id) ?? (installation && (await recipients.mayList(userId, installation)))
    known.set(id, may ?? false)
    return may ?? false
  }
}

/** Knows of which groups a user was told. The end of an alarm is only for those who know it. */
class Begins {
  readonly #registry: Registry
  readonly #userId: number
  readonly #told = new Map<number, boolean>()

  constructor(registry: Registry, userId: number) {
    this.#registry = registry
    this.#userId = userId
  }

  async isTold({ how, before }: Bundle): Promise<boolean> {
    if (how !== 'cleared') return true
    const unknown = before.filter((id) => !this.#told.has(id))
    if (unknown.length > 0) {
      const { rows } = await sql<{ group_id: number }>`
        select distinct group_id from alarm_message_groups
        join alarm_messages on alarm_messages.id = message_id
        where user_id = ${this.#userId}
          and ${isOneOf(this.#registry, sql.ref('group_id'), unknown)}`.execute(this.#registry)
      for (const id of unknown) this.#told.set(id, false)
      for (const { group_id } of rows) this.#told.set(group_id, true)
    }
    return before.some((id) => this.#told.get(id))
  }
}

/** An alarm that is in several groups counts once. */
class Collected {
  readonly places = new Set<number>()
  readonly #bundles: Bundle[] = []
  isEscalated = false
  /** With those that count twice. */
  size = 0

  add(bundle: Bundle, level: number): void {
    this.#bundles.push(bundle)
    this.size += bundle.ids.length
    if (level > 0) this.isEscalated = true
  }

  get told(): Omit<Told, 'places'> {
    const isOver = ({ how }: Bundle) => how === 'over'
    const open = together(this.#bundles.filter((one) => !isOver(one)))
    const past = together(this.#bundles.filter(isOver))
    return {
      alarms: open.rows.toSorted(bySeverity),
      total: open.count,
      past: past.rows,
      over: past.count,
      isEscalated: this.isEscalated
    }
  }
}

function together(bundles: readonly Bundle[]): { rows: AlarmRow[]; count: number } {
  const [only, more] = bundles
  // Mostly there is one, and it may be large.
  if (only && !more) return { rows: only.rows, count: only.ids.length }
  const seen = new Set<number>()
  const rows: AlarmRow[] = []
  for (const bundle of bundles) {
    for (const row of bundle.rows) {
      if (rows.length < MAX_ROWS && !seen.has(row.id)) rows.push(row)
    }
    for (const id of bundle.ids) seen.add(id)
  }
  return { rows, count: seen.size }
}

export async function readPlaces(
  registry: Registry,
  ids: readonly number[],
  timezone: string
): Promise<Map<number, Place>> {
  const rows = await registry
    .selectFrom('installations')
    .select(['id', 'name', 'timezone'])
    .where(isOneOf(registry, sql.ref('id'), ids))
    .execute()
  return new Map(rows.map((row) => [row.id, { name: row.name, zone: row.timezone || timezone }]))
}
