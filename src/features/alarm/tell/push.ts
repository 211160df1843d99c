import { ECDH } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Registry, Tables } from '../../../registry/tables.ts'
import { inTransaction } from '../../../registry/transaction.ts'

export type Subscription = Selectable<Tables['push_subscriptions']>
/** Few platforms send to browsers, so it is loaded with the first message. */
const loadWebPush = async () => (await import('web-push')).default

export type PushKeys = { publicKey: string; privateKey: string }

/** Of one user. The newest are kept. */
export const MAX_SUBSCRIPTIONS = 20
/** A push service keeps a message for so long for a browser that is not connected. */
const KEPT_FOR_S = 24 * 60 * 60

/** The keys of this platform. They are made at the first use. */
export async function pushKeys(registry: Registry): Promise<PushKeys> {
  const read = () =>
    registry
      .selectFrom('push_keys')
      .select(['public_key as publicKey', 'private_key as privateKey'])
      .where('id', '=', 1)
      .executeTakeFirst()
  const known = await read()
  if (known) return known
  const { publicKey, privateKey } = (await loadWebPush()).generateVAPIDKeys()
  await registry
    .insertInto('push_keys')
    .values({ id: 1, public_key: publicKey, private_key: privateKey })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  // Another node may have been faster.
  return (await read()) ?? { publicKey, privateKey }
}

/** [RFC 8291] What is wrong with the keys of a subscription: the name of the field, or nothing. */
export function keysFault({ p256dh, auth }: { p256dh: string; auth: string }): string | undefined {
  try {
    ECDH.convertKey(Buffer.from(p256dh, 'base64url'), 'prime256v1')
  } catch {
    return 'keys.p256dh must be a public key of the curve P-256 in base64url'
  }
  return Buffer.from(auth, 'base64url').length === 16
    ? undefined
    : 'keys.auth must be 16 bytes in base64url'
}

export const listSubscriptions = (registry: Registry, userId: number): Promise<Subscription[]> =>
  registry
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()

/** A browser belongs to the user who registered it last. */
export const addSubscription = (
  registry: Registry,
  subscription: Omit<Subscription, 'id'>
): Promise<Subscription> =>
  inTransaction(registry, async (registry) => {
    const { endpoint, user_id } = subscription
    await registry.deleteFrom('push_subscriptions').where('endpoint', '=', endpoint).execute()
    const added = await registry
      .insertInto('push_subscriptions')
      .values(subscription)
      .returningAll()
      .executeTakeFirstOrThrow()
    const kept = (await listSubscriptions(registry, user_id)).slice(-MAX_SUBSCRIPTIONS)
    await registry
      .deleteFrom('push_subscriptions')
      .where('user_id', '=', user_id)
      .where('id', '<', kept[0]?.id ?? 0)
      .execute()
    return added
  })

export async function removeSubscription(
  registry: Registry,
  userId: number,
  id: number
): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('push_subscriptions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** An encrypted and signed request to a push service. [RFC 8291, RFC 8292] */
export async function pushRequest(
  { endpoint, p256dh, auth }: Subscription,
  payload: string,
  { publicKey, privateKey, contact }: PushKeys & { contact: string }
): Promise<{ url: string; headers: Record<string, string | number>; body: Buffer }> {
  const webPush = await loadWebPush()
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    payload,
    { vapidDetails: { subject: contact, publicKey, privateKey }, TTL: KEPT_FOR_S, urgency: 'high' }
  )
  return { url: endpoint, headers, body }
}
