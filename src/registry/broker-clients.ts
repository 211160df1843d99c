import type { Registry, Tables } from './tables.ts'

export type BrokerClient = Tables['broker_clients']

/** Taken: by another owner. Full: a new client id of an owner who has `limit` of them. */
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
    )
    .returning('client_id')
    .executeTakeFirst()
  return claimed ? 'claimed' : 'taken'
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
