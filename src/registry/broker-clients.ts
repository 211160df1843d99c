import type { Registry, Tables } from './tables.ts'

export type BrokerClient = Tables['broker_clients']

/**
 * Taken: by another owner, or what the broker keeps for the one before must end first. Full: a new
 * client id of an owner who has `limit` of them.
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

/** From now on it is nobody's; `owner` has it when what the broker keeps for the other has ended. */
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

/** What was kept for the owner before has ended. */
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

/** Unless somebody else signed in meanwhile. */
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

/** In order, from behind `after`. */
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

/** Of every owner but one, in order, from behind `after`. */
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

/** False when it was used meanwhile. */
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
