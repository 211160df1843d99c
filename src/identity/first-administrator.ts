import type { Clock } from '../lib/clock.ts'
import { firstRoles } from '../permission/catalogue.ts'
import { lockForMigration } from '../registry/dialect.ts'
import { readGatewayPolicy, writeGatewayPolicy } from '../registry/gateways.ts'
import { insertOrganization } from '../registry/organizations.ts'
import { insertRole } from '../registry/roles.ts'
import type { Registry } from '../registry/tables.ts'
import { hasUsers, insertUser } from '../registry/users.ts'
import { hashPassword, randomPassword } from './password.ts'

export type FirstLogin = { email: string; password: string }

/**
 * Creates the first roles, the organization "Home" and an administrator if there are no users.
 * Returns the login only if the password was generated here, so that it can be shown.
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
  const password_hash = await hashPassword(login.password, login.email)
  const now = clock()
  const created = await registry.transaction().execute(async (registry) => {
    await lockForMigration(registry)
    if (await hasUsers(registry)) return false
    const [role_id] = await insertFirstRoles(registry)
    const fields = { name: 'Home', parent_id: null }
    const organization = await insertOrganization(registry, fields, now)
    // After `adopt` the id is not 1, which is the first value of the policy.
    const policy = await readGatewayPolicy(registry)
    await writeGatewayPolicy(registry, { ...policy, default_organization_id: organization })
    await insertUser(
      registry,
      {
        email: login.email,
        password_hash,
        role_id,
        first_name: 'First',
        last_name: 'Administrator',
        organisations: [organization]
      },
      now
    )
    return true
  })
  return created && isRandom ? login : undefined
}

/** Inserts in order, so that Administrator is 1, Manager 2 and User 3. */
async function insertFirstRoles(registry: Registry): Promise<[number, ...number[]]> {
  const ids: number[] = []
  for (const role of firstRoles) ids.push((await insertRole(registry, role)) ?? 0)
  return [ids[0] ?? 0, ...ids.slice(1)]
}
