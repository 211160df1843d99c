import { sql } from 'kysely'
import type { Directory } from '../../../permission/directory.ts'
import { isOneOf } from '../../../registry/dialect.ts'
import type { Registry } from '../../../registry/tables.ts'
import { alarmsOf, type ToldAlarm } from './message-alarms.ts'
import type { MessageRow } from './messages.ts'
import type { Recipients } from './recipients.ts'
import { bySeverity, type Place, type Told } from './told.ts'

/** Of one message. The rest is in the list of alarms. */
const MAX_ALARMS = 20_000
/** So many rows are kept for a webhook. */
const MAX_ROWS = 1000

type Parts = { registry: Registry; directory: Directory; recipients: Recipients; timezone: string }

/** What a message tells at this moment: only what its user may still list. */
export async function readTold(
  { registry, directory, recipients, timezone }: Parts,
  message: MessageRow
): Promise<Told> {
  const seen = new Set<number>()
  const alarms: ToldAlarm[] = []
  const past: ToldAlarm[] = []
  let [total, over] = [0, 0]
  const allowed = new Map<number, boolean>()
  const isAllowed = async (id: number) => {
    const installation = directory.installation(id)
    return installation !== undefined && (await recipients.mayList(message.user_id, installation))
  }
  for await (const part of alarmsOf(registry, message)) {
    for (const alarm of part) {
      const { id, installation_id } = alarm
      if (seen.has(id)) continue
      const may = allowed.get(installation_id) ?? (await isAllowed(installation_id))
      allowed.set(installation_id, may)
      if (!may) continue
      seen.add(id)
      const isOver = alarm.how === 'over'
      if (isOver) over++
      else total++
      const rows = isOver ? past : alarms
      if (rows.length < MAX_ROWS) rows.push(alarm)
    }
    if (seen.size >= MAX_ALARMS) break
  }
  const places = await readPlaces(registry, [...allowed.keys()], timezone)
  return { alarms: alarms.sort(bySeverity), total, past, over, places }
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
