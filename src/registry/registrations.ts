import { type Selectable, sql } from 'kysely'
import { breadth, emailMatches, patternsOverlap } from '../lib/email-pattern.ts'
import { isOneOf } from './dialect.ts'
import { insertOrganization } from './organizations.ts'
import { findRole } from './roles.ts'
import type { Registry, Tables } from './tables.ts'
import { insertUser } from './users.ts'

export type RegistrationPolicy = Selectable<Tables['registration_policies']>
export type Registration = Selectable<Tables['registrations']>

export async function insertPolicy(
  registry: Registry,
  policy: Omit<RegistrationPolicy, 'id'>
): Promise<number> {
  const { id } = await registry
    .insertInto('registration_policies')
    .values(policy)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updatePolicy(
  registry: Registry,
  { id, ...policy }: RegistrationPolicy
): Promise<void> {
  await registry.updateTable('registration_policies').set(policy).where('id', '=', id).execute()
}

/** Whoever registered by it and has not set a password yet is forgotten too. */
export async function deletePolicy(registry: Registry, id: number): Promise<void> {
  await registry.deleteFrom('registration_policies').where('id', '=', id).execute()
}

export const findPolicy = (
  registry: Registry,
  id: number
): Promise<RegistrationPolicy | undefined> =>
  registry.selectFrom('registration_policies').selectAll().where('id', '=', id).executeTakeFirst()

/** Those that lead into these organizations or below them, sorted by id. */
export const listPolicies = (
  registry: Registry,
  organizationIds: readonly number[]
): Promise<RegistrationPolicy[]> =>
  registry
    .selectFrom('registration_policies')
    .selectAll()
    .where(
      isOneOf(
        registry,
        sql<number>`coalesce(organization_id, parent_organization)`,
        organizationIds
      )
    )
    .orderBy('id')
    .execute()

/** The narrowest one that the address matches, of those the one that has meant it longest. */
export async function policyFor(
  registry: Registry,
  email: string
): Promise<RegistrationPolicy | undefined> {
  const policies = await registry
    .selectFrom('registration_policies')
    .selectAll()
    .orderBy('pattern_set')
    .orderBy('id')
    .execute()
  const [narrowest] = policies
    .filter(({ email_pattern }) => emailMatches(email_pattern, email))
    .sort((a, b) => breadth(a.email_pattern) - breadth(b.email_pattern))
  return narrowest
}

/** Whether a policy that leads elsewhere than into these organizations means some of the same addresses. */
export async function overlapsElsewhere(
  registry: Registry,
  pattern: string,
  organizationIds: ReadonlySet<number>
): Promise<boolean> {
  const policies = await registry.selectFrom('registration_policies').selectAll().execute()
  return policies.some(
    ({ email_pattern, organization_id, parent_organization }) =>
      !organizationIds.has(organization_id ?? parent_organization ?? 0) &&
      patternsOverlap(email_pattern, pattern)
  )
}

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

/** How many of an address were made since then. */
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

/** How many of a policy still wait for their key. */
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
  /** Whether nobody gets a role with these rights by registering. */
  isTooMuch: (permissions: Readonly<Record<string, boolean>>) => boolean
}

/** Undefined: the key was used meanwhile, the address is taken, or the policy no longer means it. */
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
  // Whatever the role has become since.
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
