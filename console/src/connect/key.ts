import type { Schemas } from '../../../tools/client/client.ts'
import { ledger, me, queryClient, status, tokens } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Kind } from './topics.ts'

/** What the first step asks for. */
export type Device = {
  name: string
  kind: Kind
  topic: string
  listens: boolean
  /** How long the key works; 0 = for ever. */
  days: number
}

/** What was there before the key: newest values by topic, and the last refused message. */
export type Before = { timestamps: Map<string, number>; refusal: number }

export async function lookBefore(
  id: number,
  { mayRead, mayLook }: { mayRead: boolean; mayLook: boolean }
): Promise<Before> {
  const known = mayRead ? await queryClient.fetchQuery({ ...status(id), staleTime: 0 }) : []
  const refused = mayLook ? await queryClient.fetchQuery(ledger(id)) : []
  return {
    timestamps: new Map(known.map(({ topic, timestamp }) => [topic, timestamp])),
    refusal: refused[0]?.id ?? 0
  }
}

export type Key = { id: number; token: string }

export type Made = { device: Device; before: Before; key: Key }

const DAY_S = 24 * 3600

/** The rights of a device: this installation and nothing else, at most what the owner may. */
const rightsOf = (installation_id: number, listens: boolean): string[] => [
  `${installation_id}/mqtt/publish/assigned`,
  ...(listens ? [`${installation_id}/mqtt/subscribe/assigned`] : [])
]

/** Whether the key was made for a device of the installation. */
export const isDeviceKey = (
  { type, permissions = [], mount }: Schemas['Token'],
  installation_id: number
): boolean =>
  type === 'key' &&
  (mount?.installation_id === installation_id ||
    (permissions.includes(`${installation_id}/mqtt/publish/assigned`) &&
      permissions.every((name) => rightsOf(installation_id, true).includes(name))))

export async function makeKey(
  installation_id: number,
  { name, listens, days }: Device
): Promise<Key> {
  const { id: user_id } = await queryClient.ensureQueryData(me)
  const { id, token = '' } = await call((caracal) =>
    caracal.post('/api/v2/user/{user_id}/security/token', {
      path: { user_id },
      body: {
        name,
        permissions: rightsOf(installation_id, listens),
        expire: days === 0 ? 0 : Math.floor(Date.now() / 1000) + days * DAY_S
      }
    })
  )
  void queryClient.invalidateQueries(tokens)
  return { id, token }
}

export async function deleteKey(token_id: number): Promise<void> {
  const { id: user_id } = await queryClient.ensureQueryData(me)
  await call((caracal) =>
    caracal.delete('/api/v2/user/{user_id}/security/token/{token_id}', {
      path: { user_id, token_id }
    })
  )
  await queryClient.invalidateQueries(tokens)
}
