import type { Static } from 'typebox'
import { signedIn } from '../../access/guard.ts'
import type { Principal } from '../../access/principal.ts'
import type { Routes } from '../../deps.ts'
import { unauthorized } from '../../http/errors.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { emptyMap, readMeta } from '../../registry/meta.ts'
import type { Registry } from '../../registry/tables.ts'
import { findUser, installationsOf, organizationsOf } from '../../registry/users.ts'
import { User } from './schema.ts'

export const userRoutes: Routes = (app, { registry }) => {
  app.get(
    '/me',
    {
      schema: { tags: ['User'], summary: 'The caller', response: { 200: User } },
      config: { access: signedIn }
    },
    async ({ principal }) => {
      const user = await readUser(registry, principal, principal.userId)
      // Deleted while the request was under way.
      if (!user) throw unauthorized()
      return user
    }
  )
}

async function readUser(
  registry: Registry,
  principal: Principal,
  id: number
): Promise<Static<typeof User> | undefined> {
  const row = await findUser(registry, id)
  if (!row) return undefined
  const { meta, protected_meta } = (await readMeta(registry, 'user', [id])).get(id) ?? {
    meta: emptyMap(),
    protected_meta: emptyMap()
  }
  const address = { address: '', city: '', country: '', zip: '', ...JSON.parse(row.address) }
  return {
    id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role_id,
    sms_login: row.sms_login === 1,
    mobile: row.mobile,
    note: row.note,
    organisations: await organizationsOf(registry, id),
    address,
    meta,
    ...(principal.grants.covers('user/view/protected_meta/all') && { protected_meta }),
    assigned_installations: await installationsOf(registry, id),
    expire_at: toWholeSeconds(row.expire_at)
  }
}
