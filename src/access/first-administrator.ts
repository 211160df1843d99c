import type { Clock } from '../lib/clock.ts'
import { lockForMigration } from '../registry/dialect.ts'
import { insertOrganization } from '../registry/organizations.ts'
import { insertRole } from '../registry/roles.ts'
import type { Registry } from '../registry/tables.ts'
import { hasUsers, insertUser } from '../registry/users.ts'
import { firstRoles } from './catalogue.ts'
import { hashPassword, randomPassword } from './password.ts'

export type FirstLogin = { email: string; password: string }

/**
 * On a registry without users: the roles, the organization "Home" and an administrator. Answers the
 * sign-in only when the password was made up here, as nobody else knows it.
 */
export async function ensureFirstAdministrator(
  registry: Registry,
  { email, password }: FirstLogin,
  clock: Clock
): Promise<FirstLogin | undefined> {
  if (await hasUsers(registry)) return undefined
  const isRandom = password === ''
  const login = isRandom
    ? { email: 'admin@localhost', password: randomPassword() }
    : { email, password }
  const password_hash = await hashPassword(login.password)
  const now = clock()
  const created = await registry.transaction().execute(async (registry) => {
    await lockForMigration(registry)
    if (await hasUsers(registry)) return false
    const roleIds: number[] = []
    for (const role of firstRoles) roleIds.push(await insertRole(registry, role))
    const organization = await insertOrganization(registry, { name: 'Home', parent_id: null, now })
    await insertUser(registry, {
      email: login.email,
      password_hash,
      role_id: roleIds[0] ?? 0,
      first_name: 'First',
      last_name: 'Administrator',
      organisations: [organization],
      now
    })
    return true
  })
  return created && isRandom ? login : undefined
}
