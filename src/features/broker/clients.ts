import type { Registry, Tables } from '../../registry/tables.ts'

export type BrokerClient = Tables['broker_clients']

/**
 * `taken`: another owner has the client id, or the session of the previous owner must end first.
 * `full`: the owner already has `limit` client ids.
 */
export async function claimBrokerClient(
  registry: Registry,
  client: BrokerClient,
  limit: number
): Promise<'claimed' | 'taken' | 'full'> {
  const { client_id, username, owner, sealed, seen } = client
  const { numUpdatedRows } = await registry
    .updateTable('broker_clients')
    .set({ username, sealed, seen })
    .where('client_id', '=', client_id)
    .where('owner', '=', owner)
    .where('seen', '>', 0)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return 'claimed'
  const { count } = await registry
    .selectFrom('broker_clients')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow()
  if (Number(count) >= limit) return 'full'
  const claimed = await registry
    .insertInto('broker_clients')
    .values(client)
    .onConflict((conflict) =>
      conflict
        .column('client_id')
        .doUpdateSet({ username, sealed, seen })
        .where('broker_clients.owner', '=', owner)
        .where('broker_clients.seen', '>', 0)
    )
    .returning('client_id')
    .executeTakeFirst()
  return claimed ? 'claimed' : 'taken'
}

/**
 * Moves a client id to `owner`, who can use it after the session of the previous owner has ended.
 */
export async function takeBrokerClient(
  registry: Registry,
  client_id: string,
  owner: string
): Promise<void> {
  await registry
    .updateTable('broker_clients')
    .set({ owner, sealed: '', seen: 0 })
    .where('client_id', '=', client_id)
    .where('owner', '<>', owner)
    .execute()
}

/** The session of the previous owner has ended, so the new owner can use the client id. */
export async function handOverBrokerClient(
  registry: Registry,
  client_id: string,
  now: number
): Promise<void> {
  await registry
    .updateTable('broker_clients')
    .set({ seen: now })
    .where('client_id', '=', client_id)
    .where('seen', '=', 0)
    .execute()
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

/** Does nothing if somebody else signed in meanwhile. */
export async function touchBrokerClient(
  registry: Registry,
  { client_id, sealed }: Pick<BrokerClient, 'client_id' | 'sealed'>,
  now: number
): Promise<void> {
  await registry
    .updateTable('broker_clients')
    .set({ seen: now })
    .where('client_id', '=', client_id)
    .where('sealed', '=', sealed)
    .execute()
}

/** The client ids after `after`, in order. */
export const brokerClientsAfter = (
  registry: Registry,
  after: string,
  limit: number
): Promise<Omit<BrokerClient, 'username'>[]> =>
  registry
    .selectFrom('broker_clients')
    .select(['client_id', 'owner', 'sealed', 'seen'])
    .where('client_id', '>', after)
    .orderBy('client_id')
    .limit(limit)
    .execute()

/** Removes the credential if it is still this one. The owner keeps the client id. */
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

/** The client ids after `after`, in order, of every owner except `but`. */
export async function unusedBrokerClients(
  registry: Registry,
  options: { unusedSince: number; but: string; after: string; limit: number }
): Promise<string[]> {
  const { unusedSince, but, after, limit } = options
  const rows = await registry
    .selectFrom('broker_clients')
    .select('client_id')
    .where('client_id', '>', after)
    .where('seen', '<', unusedSince)
    .where('owner', '<>', but)
    .orderBy('client_id')
    .limit(limit)
    .execute()
  return rows.map(({ client_id }) => client_id)
}

/** False if the client id was used meanwhile. */
export async function freeBrokerClient(
  registry: Registry,
  client_id: string,
  unusedSince: number
): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('broker_clients')
    .where('client_id', '=', client_id)
    .where('seen', '<', unusedSince)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteBrokerClient(
  registry: Registry,
  { client_id, owner }: Pick<BrokerClient, 'client_id' | 'owner'>
): Promise<void> {
  await registry
    .deleteFrom('broker_clients')
    .where('client_id', '=', client_id)
    .where('owner', '=', owner)
    .execute()
}
