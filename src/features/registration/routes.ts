import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { afterAnswer } from '../../http/after-answer.ts'
import { badRequest, conflict, forbidden, tooManyRegistrations } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { Message } from '../../http/schema.ts'
import { authenticates, creates, deletes, updates } from '../../http/traced.ts'
import { namesDomain } from '../../lib/email-pattern.ts'
import { isForAdministrators, mayHandOut } from '../../permission/delegation.ts'
import { everyone, permit } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import { visibleRole } from '../../permission/role-place.ts'
import { reachesEverything } from '../../permission/visibility.ts'
import {
  findPolicy,
  type RegistrationPolicy as PolicyRecord
} from '../../registry/registrations.ts'
import { findRole, isRoleOf } from '../../registry/roles.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import type { RegistrationDeps } from './deps.ts'
import {
  deletePolicy,
  insertPolicy,
  listPolicies,
  overlapsElsewhere,
  updatePolicy
} from './policies.ts'
import { register } from './register.ts'
import {
  NewPolicy,
  PolicyParams,
  PolicyUpdate,
  Registration,
  RegistrationPolicy
} from './schema.ts'

/** The role "User", the default for new policies. */
const USER_ROLE_ID = 3
const MAX_POLICIES_PER_ORGANIZATION = 100

export const registrationRoutes: Routes<RegistrationDeps> = (app, deps) => {
  const { registry, directory, registering, clock, log } = deps
  const tags = ['Registration']
  const url = '/registration/policy'

  app.post(
    '/register',
    {
      schema: {
        tags,
        operationId: 'registerUser',
        faults: [429],
        summary: 'Register; the key for the first password is sent by mail',
        body: Registration,
        response: { 200: Message }
      },
      config: {
        access: everyone,
        trace: { ...authenticates('asked to register as'), action: 'execute' }
      }
    },
    async ({ body, ip }, reply) => {
      const retryAfter = await registering.take(body.email, ip)
      if (retryAfter > 0) throw tooManyRegistrations(retryAfter)
      // Known, unknown and refused addresses get the same answer, in the same time.
      afterAnswer(reply, () =>
        register(deps, body).catch((err) => log.error({ err }, 'a registration failed'))
      )
      return { message: 'A key is sent if this address may register' }
    }
  )

  app.get(
    url,
    {
      schema: {
        tags,
        operationId: 'listRegistrationPolicies',
        summary: "Registration policies of the caller's organizations and below",
        response: { 200: Type.Array(RegistrationPolicy) }
      },
      config: { access: permit('registration/policy/list') }
    },
    async ({ principal }) =>
      (await listPolicies(registry, [...principal.organizationsBelow])).map(shown)
  )

  app.post(
    url,
    {
      schema: {
        tags,
        operationId: 'createRegistrationPolicy',
        faults: [409],
        summary: "Create a policy; the default place is the caller's first organization",
        body: NewPolicy,
        response: { 200: RegistrationPolicy }
      },
      config: {
        access: permit('registration/policy/create_delete'),
        trace: creates('user_registration_policy')
      }
    },
    async ({ principal, body }) => {
      const [organization_id = null] = principal.organizationIds
      const place = placeOf(body) ?? { organization_id, parent_organization: null }
      const policy = {
        email_pattern: body.email_pattern,
        pattern_set: clock(),
        role_id: body.role_id || USER_ROLE_ID,
        ...place
      }
      return inTransaction(registry, async (registry) => {
        await check(registry, principal, policy)
        await checkPattern(registry, principal, policy.email_pattern)
        return shown({ id: await insertPolicy(registry, policy), ...policy })
      })
    }
  )

  app.get(
    `${url}/:policy_id`,
    {
      schema: {
        tags,
        operationId: 'getRegistrationPolicy',
        summary: 'One registration policy',
        params: PolicyParams,
        response: { 200: RegistrationPolicy }
      },
      config: { access: permit('registration/policy/list') }
    },
    async ({ principal, params }, reply) =>
      tagged(reply, shown(await find(registry, principal, params.policy_id)))
  )

  app.put(
    `${url}/:policy_id`,
    {
      schema: {
        tags,
        operationId: 'updateRegistrationPolicy',
        faults: [409, 412],
        summary: 'Update a policy; fields that are missing, null or 0 keep their value',
        params: PolicyParams,
        body: PolicyUpdate,
        response: { 200: RegistrationPolicy }
      },
      config: {
        access: permit('registration/policy/update'),
        trace: updates('user_registration_policy', 'policy_id')
      }
    },
    async (request, reply) => {
      const { principal, params, body } = request
      return inTransaction(registry, async (registry) => {
        const current = await findOwn(registry, principal, params.policy_id)
        checkMatch(request, shown(current))
        const email_pattern = body.email_pattern ?? current.email_pattern
        const isOther = email_pattern !== current.email_pattern
        const policy = {
          ...current,
          ...placeOf(body),
          email_pattern,
          pattern_set: isOther ? clock() : current.pattern_set,
          role_id: body.role_id || current.role_id
        }
        await check(registry, principal, policy)
        if (isOther) await checkPattern(registry, principal, email_pattern)
        await updatePolicy(registry, policy)
        return tagged(reply, shown(policy))
      })
    }
  )

  app.delete(
    `${url}/:policy_id`,
    {
      schema: {
        tags,
        operationId: 'deleteRegistrationPolicy',
        summary: 'Delete a registration policy',
        params: PolicyParams,
        response: { 200: Message }
      },
      config: {
        access: permit('registration/policy/create_delete'),
        trace: deletes('user_registration_policy', 'policy_id')
      }
    },
    async ({ principal, params }) => {
      await inTransaction(registry, async (registry) => {
        await findOwn(registry, principal, params.policy_id)
        await deletePolicy(registry, params.policy_id)
      })
      return { message: 'Deleted' }
    }
  )

  /** A missing policy and an invisible one get the same answer. */
  async function find(registry: Registry, principal: Principal, id: number): Promise<PolicyRecord> {
    const policy = await findPolicy(registry, id)
    if (!policy || !reaches(principal, policy)) throw forbidden()
    return policy
  }

  /** The caller must be allowed to give the role, because a new pattern gives it to other users. */
  async function findOwn(registry: Registry, principal: Principal, id: number) {
    const policy = await find(registry, principal, id)
    const role = await findRole(registry, policy.role_id)
    if (!role || !mayHandOut(principal, directory, role)) throw forbidden()
    return policy
  }

  /** A policy must not give more than the caller could give to a new user. */
  async function check(
    registry: Registry,
    principal: Principal,
    policy: Omit<PolicyRecord, 'id'> & { id?: number }
  ): Promise<void> {
    const role = await visibleRole(registry, principal, policy.role_id)
    if (!role) throw badRequest('role_id does not exist')
    if (!mayHandOut(principal, directory, role)) throw forbidden()
    if (isForAdministrators(role.permissions)) {
      throw badRequest('role_id must not be a role with rights of administrators')
    }
    if (organizationOf(policy) === 0) throw badRequest('organization_id is required')
    if (!reaches(principal, policy)) throw forbidden()
    if (!(await isRoleOf(registry, role, [organizationOf(policy)]))) {
      throw badRequest('role_id belongs to another organization')
    }
    const there = await listPolicies(registry, [organizationOf(policy)])
    if (there.filter(({ id }) => id !== policy.id).length >= MAX_POLICIES_PER_ORGANIZATION) {
      throw conflict(`the organization has ${MAX_POLICIES_PER_ORGANIZATION} policies already`)
    }
  }
}

/** The pattern must not match addresses of a policy of another organization. */
async function checkPattern(
  registry: Registry,
  principal: Principal,
  pattern: string
): Promise<void> {
  if (reachesEverything(principal)) return
  if (!namesDomain(pattern)) throw badRequest('email_pattern must name a domain')
  if (await overlapsElsewhere(registry, pattern, principal.organizationsBelow)) {
    throw conflict('email_pattern overlaps with a policy of another organization')
  }
}

const organizationOf = ({
  organization_id,
  parent_organization
}: Pick<PolicyRecord, 'organization_id' | 'parent_organization'>): number =>
  organization_id ?? parent_organization ?? 0

const reaches = ({ organizationsBelow }: Principal, policy: Omit<PolicyRecord, 'id'>): boolean =>
  organizationsBelow.has(organizationOf(policy))

/** Undefined if the body has no organization. */
function placeOf(body: Static<typeof PolicyUpdate>) {
  const organization_id = body.organization_id || null
  const parent_organization = body.parent_organization || null
  if (organization_id && parent_organization) {
    throw badRequest('organization_id and parent_organization exclude each other')
  }
  return organization_id || parent_organization
    ? { organization_id, parent_organization }
    : undefined
}

const shown = (policy: PolicyRecord): Static<typeof RegistrationPolicy> => ({
  id: policy.id,
  email_pattern: policy.email_pattern,
  role_id: policy.role_id,
  ...(policy.parent_organization && { parent_organization: policy.parent_organization }),
  ...(policy.organization_id && { organization_id: policy.organization_id })
})
