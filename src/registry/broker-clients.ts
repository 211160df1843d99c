import { sql } from 'kysely'
import type { Registry, Tables } from './tables.ts'

export type BrokerClient = Tables['broker_clients']

/** Made-up client ids of one owner must not fill the table. */
const PER_OWNER = 10_000

/** False when the client id is another owner's, seen after `unusedSince`. */
export async function claimBrokerClient(
  registry: Registry,
  client: BrokerClient,
  unusedSince: number
): Promise<boolean> {
  const { username, owner, sealed, seen } = client
  const claimed = await registry
    .insertInto('broker_clients')
    .values(client)
    .onConflict((conflict) =>
      conflict
        .column('client_id')
        .doUpdateSet({ username, owner, sealed, seen })
        .where((eb) =>
          eb.or([
            eb('broker_clients.owner', '=', owner),
            eb('broker_clients.seen', '<', unusedSince)
          ])
        )
    )
    .returning('client_id')
    .executeTakeFirst()
  return claimed !== undefined
}

export const findBrokerClient = (
  registry: Registry,
  client_id: string
): Promise<BrokerClient | undefined> =>
  registry
    .selectFrom('broker_clients')
    .selectAll()
    .where('client_id', '=', client_id)
    .executeTakeFirst()

export async function touchBrokerClient(
  registry: Registry,
  client_id: string,
  now: number
): Promise<void> {
  await registry
    .updateTable('broker_clients')
    .set({ seen: now })
    .where('client_id', '=', client_id)
    .execute()
}

/** Those with a credential that holds as far as we know, in order, from behind `after`. */
export const brokerClientsAfter = (
  registry: Registry,
  after: string,
  limit: number
): Promise<Pick<BrokerClient, 'client_id' | 'owner' | 'sealed'>[]> =>
  registry
    .selectFrom('broker_clients')
    .select(['client_id', 'owner', 'sealed'])
    .where('client_id', '>', after)
    .where('sealed', '<>', '')
    .orderBy('client_id')
    .limit(limit)
    .execute()

/** The client id stays its owner's; the credential, if it is still this one, is gone. */
export async function endBrokerClient(
  registry: Registry,
  client_id: string,
  sealed: string
): Promise<void> {
  await registry
    .updateTable('broker_clients')
    .set({ sealed: '' })
    .where('client_id', '=', client_id)
    .where('sealed', '=', sealed)
    .execute()
}

/** Returns how many went. */
export async function forgetBrokerClients(
  registry: Registry,
  unusedSince: number
): Promise<number> {
  const { numDeletedRows } = await registry
    .deleteFrom('broker_clients')
    .where('seen', '<', unusedSince)
    .executeTakeFirst()
  await sql`delete from broker_clients where client_id in (
    select client_id from (
      select client_id, row_number() over (partition by owner order by seen desc) as place
      from broker_clients
    ) as placed where place > ${PER_OWNER}
  )`.execute(registry)
  return Number(numDeletedRows)
}
