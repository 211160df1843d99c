import { type Selectable, sql } from 'kysely'
import { deleteUnlessUsed } from '../../registry/delete-unused.ts'
import { forKeyShare } from '../../registry/dialect.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { isOfInstallation } from './executors.ts'

export type MessageRow = Selectable<Tables['notification_messages']>
export type MessageFields = Pick<MessageRow, 'name' | 'text'>

type OutputRow = Selectable<Tables['notification_outputs']>
export type OutputRecord = Omit<OutputRow, 'config'> & { config: Record<string, string> }
export type OutputFields = Pick<
  OutputRecord,
  'name' | 'notification_message_id' | 'notification_output_executor_id' | 'config'
>

/** How many of the newest sends of an output are kept; older ones are overwritten. */
const MAX_REMEMBERED_SENDS = 100

const outputOf = (row: OutputRow): OutputRecord => ({ ...row, config: JSON.parse(row.config) })

async function countOf(
  registry: Registry,
  table: 'notification_messages' | 'notification_outputs',
  installation_id: number
): Promise<number> {
  const { count } = await registry
    .selectFrom(table)
    .select((eb) => eb.fn.countAll().as('count'))
    .where('installation_id', '=', installation_id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const listMessages = (registry: Registry, installation_id: number): Promise<MessageRow[]> =>
  registry
    .selectFrom('notification_messages')
    .selectAll()
    .where('installation_id', '=', installation_id)
    .orderBy('id')
    .execute()

export const findMessage = (
  registry: Registry,
  installation_id: number,
  id: number
): Promise<MessageRow | undefined> =>
  registry
    .selectFrom('notification_messages')
    .selectAll()
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()

/** Undefined if the installation already has `most` messages. */
export const insertMessage = (
  registry: Registry,
  installation_id: number,
  fields: MessageFields,
  { most, now }: { most: number; now: number }
): Promise<MessageRow | undefined> =>
  registry.transaction().execute(async (registry) => {
    if ((await countOf(registry, 'notification_messages', installation_id)) >= most) {
      return undefined
    }
    return registry
      .insertInto('notification_messages')
      .values({ installation_id, ...fields, created: now, updated: now })
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** Only the fields that are given are written. */
export const updateMessage = (
  registry: Registry,
  installation_id: number,
  id: number,
  fields: Partial<MessageFields> & { updated: number }
): Promise<MessageRow | undefined> =>
  registry
    .updateTable('notification_messages')
    .set(fields)
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .returningAll()
    .executeTakeFirst()

export const deleteMessage = (registry: Registry, installation_id: number, id: number) =>
  deleteUnlessUsed(registry, {
    ...{ table: 'notification_messages', id },
    within: sql`installation_id = ${installation_id}`,
    usedIn: { table: 'notification_outputs', column: 'notification_message_id' }
  })

export async function listOutputs(
  registry: Registry,
  installation_id: number
): Promise<OutputRecord[]> {
  const rows = await registry
    .selectFrom('notification_outputs')
    .selectAll()
    .where('installation_id', '=', installation_id)
    .orderBy('id')
    .execute()
  return rows.map(outputOf)
}

export async function findOutput(
  registry: Registry,
  installation_id: number,
  id: number
): Promise<OutputRecord | undefined> {
  const row = await registry
    .selectFrom('notification_outputs')
    .selectAll()
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()
  return row && outputOf(row)
}

/**
 * Why an output is not written: it is missing, there are too many, or its message or executor is
 * missing.
 */
export type OutputFault = 'missing' | 'full' | 'message' | 'executor'

export const insertOutput = (
  registry: Registry,
  installation_id: number,
  fields: OutputFields,
  { most, now }: { most: number; now: number }
): Promise<OutputRecord | OutputFault> =>
  registry.transaction().execute(async (registry) => {
    if ((await countOf(registry, 'notification_outputs', installation_id)) >= most) return 'full'
    const fault = await linkFault(registry, installation_id, fields)
    if (fault) return fault
    const row = await registry
      .insertInto('notification_outputs')
      .values({
        installation_id,
        ...fields,
        config: JSON.stringify(fields.config),
        sends: 0,
        created: now,
        updated: now
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return outputOf(row)
  })

/** Only the fields that are given are written. */
/** In a transaction. */
export async function updateOutput(
  registry: Registry,
  installation_id: number,
  id: number,
  { config, ...fields }: Partial<OutputFields> & { updated: number }
): Promise<OutputRecord | OutputFault> {
  const fault = await linkFault(registry, installation_id, fields)
  if (fault) return fault
  const row = await registry
    .updateTable('notification_outputs')
    .set({ ...fields, ...(config && { config: JSON.stringify(config) }) })
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .returningAll()
    .executeTakeFirst()
  return row ? outputOf(row) : 'missing'
}

/** Locks the message and the executor until the transaction ends. */
async function linkFault(
  registry: Registry,
  installation_id: number,
  fields: Partial<OutputFields>
): Promise<'message' | 'executor' | undefined> {
  const { notification_message_id, notification_output_executor_id } = fields
  if (notification_message_id !== undefined) {
    const message = await registry
      .selectFrom('notification_messages')
      .select('id')
      .where('id', '=', notification_message_id)
      .where('installation_id', '=', installation_id)
      .modifyEnd(forKeyShare(registry))
      .executeTakeFirst()
    if (!message) return 'message'
  }
  if (notification_output_executor_id === undefined) return undefined
  const executor = await registry
    .selectFrom('notification_executors')
    .select('id')
    .where('id', '=', notification_output_executor_id)
    .where(isOfInstallation(installation_id))
    .modifyEnd(forKeyShare(registry))
    .executeTakeFirst()
  return executor ? undefined : 'executor'
}

export async function deleteOutput(
  registry: Registry,
  installation_id: number,
  id: number
): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('notification_outputs')
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Does nothing if the output was deleted meanwhile. */
export const rememberSend = (
  registry: Registry,
  output_id: number,
  send: { sent: number; outcome: string }
): Promise<void> =>
  registry.transaction().execute(async (registry) => {
    const output = await registry
      .updateTable('notification_outputs')
      .set({ sends: sql`sends + 1` })
      .where('id', '=', output_id)
      .returning('sends')
      .executeTakeFirst()
    if (!output) return
    await registry
      .insertInto('notification_sends')
      .values({ output_id, slot: output.sends % MAX_REMEMBERED_SENDS, ...send })
      .onConflict((conflict) => conflict.columns(['output_id', 'slot']).doUpdateSet(send))
      .execute()
  })

/** Newest first. */
export const listSends = (registry: Registry, output_id: number) =>
  registry
    .selectFrom('notification_sends')
    .select(['sent', 'outcome'])
    .where('output_id', '=', output_id)
    .orderBy('sent', 'desc')
    .orderBy('slot', 'desc')
    .execute()
