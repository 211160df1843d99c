import { sql } from 'kysely'
import { breadth, emailMatches, patternsOverlap } from '../../lib/email-pattern.ts'
import { isOneOf } from '../../registry/dialect.ts'
import type { RegistrationPolicy } from '../../registry/registrations.ts'
import type { Registry } from '../../registry/tables.ts'

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

/** Open registrations of the policy are deleted with it. */
export async function deletePolicy(registry: Registry, id: number): Promise<void> {
  await registry.deleteFrom('registration_policies').where('id', '=', id).execute()
}

/** The policies that put users into these organizations or directly below them, sorted by id. */
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

/** The narrowest policy that matches the address; of equal ones the one with the oldest pattern. */
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

/** Whether a policy of an organization outside this set matches some of the same addresses. */
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
