import type { Selectable } from 'kysely'
import { emailMatches } from '../lib/email-pattern.ts'
import { insertOrganization } from './organizations.ts'
import { findRole } from './roles.ts'
import type { Registry, Tables } from './tables.ts'
import { insertUser } from './users.ts'

export type RegistrationPolicy = Selectable<Tables['registration_policies']>
export type Registration = Selectable<Tables['registrations']>

export const findPolicy = (
  registry: Registry,
  id: number
): Promise<RegistrationPolicy | undefined> =>
  registry.selectFrom('registration_policies').selectAll().where('id', '=', id).executeTakeFirst()

export async function insertRegistration(
  registry: Registry,
  { email, ...registration }: Omit<Registration, 'email_folded'>
): Promise<void> {
  await registry
    .insertInto('registrations')
    .values({ ...registration, email, email_folded: email.toLowerCase() })
    .execute()
}

export const findRegistration = (
  registry: Registry,
  keyHash: string
): Promise<Registration | undefined> =>
  registry
    .selectFrom('registrations')
    .selectAll()
    .where('key_hash', '=', keyHash)
    .executeTakeFirst()

/** The number of registrations of an e-mail address since then. */
export async function countRegistrationsOf(
  registry: Registry,
  email: string,
  since: number
): Promise<number> {
  const { count } = await registry
    .selectFrom('registrations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('email_folded', '=', email.toLowerCase())
    .where('created', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The number of registrations of a policy that still wait for their key. */
export async function countOpenRegistrations(
  registry: Registry,
  policyId: number,
  now: number
): Promise<number> {
  const { count } = await registry
    .selectFrom('registrations')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('policy_id', '=', policyId)
    .where('expires', '>', now)
    .executeTakeFirstOrThrow()
  return Number(count)
}

type Confirmation = {
  password_hash: string
  now: number
  /** True for permissions that nobody may get by registering. */
  isTooMuch: (permissions: Readonly<Record<string, boolean>>) => boolean
}

/**
 * Undefined: the key is used, the address is taken, or the policy no longer allows this address.
 */
export async function confirmRegistration(
  registry: Registry,
  registration: Registration,
  { password_hash, now, isTooMuch }: Confirmation
): Promise<number | undefined> {
  const { key_hash, email_folded, policy_id, email, first_name, last_name } = registration
  const { numDeletedRows } = await registry
    .deleteFrom('registrations')
    .where('key_hash', '=', key_hash)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return undefined
  await registry.deleteFrom('registrations').where('email_folded', '=', email_folded).execute()
  const policy = await findPolicy(registry, policy_id)
  if (!policy || !emailMatches(policy.email_pattern, email)) return undefined
  const { role_id, parent_organization } = policy
  // The role may have changed since the registration.
  const role = await findRole(registry, role_id)
  if (!role || isTooMuch(role.permissions)) return undefined
  const name = `${first_name} ${last_name}`.trim().slice(0, 255) || email
  const organization =
    policy.organization_id ??
    (await insertOrganization(registry, { name, parent_id: parent_organization }, now))
  return insertUser(
    registry,
    {
      ...{ email, first_name, last_name, role_id, password_hash },
      address: JSON.parse(registration.address),
      organisations: [organization]
    },
    now
  )
}

export async function deleteRegistrationsBefore(registry: Registry, time: number): Promise<void> {
  await registry.deleteFrom('registrations').where('created', '<', time).execute()
}
