import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { afterAnswer } from '../../http/after-answer.ts'
import { badRequest, conflict, forbidden } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { each, sendList } from '../../http/json-text.ts'
import { readMetaFilters } from '../../http/meta-filters.ts'
import { Id, Message } from '../../http/schema.ts'
import { creates, deletes, executes, updates } from '../../http/traced.ts'
import { completeAddress } from '../../lib/address.ts'
import { metaKeyRoutes } from '../../metadata/key-routes.ts'
import { checkNewMeta, keepProtected, type MetaRights } from '../../metadata/protected.ts'
import { onOrganization, permit } from '../../permission/guard.ts'
import { holds, holdsName, type Principal } from '../../permission/principal.ts'
import { organizationsProtected } from '../../permission/visibility.ts'
import { metaRows } from '../../registry/meta.ts'
import {
  findOrganization,
  insertOrganization,
  listOrganizations,
  type OrganizationFields,
  type OrganizationRecord,
  organizationsAbove,
  organizationsBelow,
  updateOrganization
} from '../../registry/organizations.ts'
import { haveRolesOf } from '../../registry/roles.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { forcePasswordReset, mailKeys } from './password-reset.ts'
import { removeOrganization } from './removal.ts'
import {
  NewOrganization,
  Organization,
  OrganizationParams,
  OrganizationSimple,
  OrganizationUpdate
} from './schema.ts'

export const organizationRoutes: Routes = (app, deps) => {
  const { registry, shares, clock } = deps
  const tags = ['Organization']
  const view = onOrganization('organization/list', 'organization/list/all')
  const edit = onOrganization('organization/update')

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: 'listOrganizations',
        summary: 'Organizations that the caller can see, filtered by metadata',
        querystring: Type.Object(
          {
            minimal: Type.Optional(
              Type.Boolean({ default: false, description: 'Only id, name and parent' })
            )
          },
          { additionalProperties: true }
        ),
        response: { 200: Type.Array(Type.Union([Organization, OrganizationSimple])) }
      },
      config: { access: permit('organization/list', 'organization/list/all') }
    },
    async (request, reply) => {
      const { principal, query } = request
      const { minimal: isMinimal, ...others } = query
      const found = listOrganizations(registry, [...principal.organizationsBelow], {
        meta: readMetaFilters(others),
        seesProtected: organizationsProtected(principal, 'view')
      })
      await shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      const show = isMinimal ? simple : shown
      const schema = isMinimal ? OrganizationSimple : Organization
      return sendList(
        reply,
        each(found, (one) => show(one, principal)),
        schema
      )
    }
  )

  app.post(
    '/',
    {
      schema: {
        tags,
        operationId: 'createOrganization',
        faults: [409],
        summary: 'Create an organization',
        body: NewOrganization,
        response: { 200: Organization }
      },
      config: { access: permit('organization/create_delete'), trace: creates('organization') }
    },
    async ({ principal, body }) => {
      // Callers see 0 as the parent of their topmost organization. A second tree cannot be created.
      const parent_id = body.parent || principal.organizationIds[0]
      if (parent_id === undefined) throw badRequest('parent is required')
      if (!principal.organizationsBelow.has(parent_id)) throw forbidden()
      const fields = fieldsOf(body)
      const edits = holdsName(principal, 'organization/edit/protected_meta/all')
      checkNewMeta(fields, { sees: edits, edits })
      const id = await inTransaction(registry, (registry) =>
        insertOrganization(registry, { ...fields, name: body.name, parent_id }, clock())
      )
      // The caller can now see the new organization.
      const organizationsBelow = new Set([...principal.organizationsBelow, id])
      return answer(id, { ...principal, organizationsBelow })
    }
  )

  app.get(
    '/:organization_id',
    {
      schema: {
        tags,
        operationId: 'getOrganization',
        summary: 'One organization, with the ids of its parent and children',
        params: OrganizationParams,
        response: { 200: Organization }
      },
      config: { access: view }
    },
    async ({ principal, params }, reply) =>
      tagged(reply, await answer(params.organization_id, principal))
  )

  app.put(
    '/:organization_id',
    {
      schema: {
        tags,
        operationId: 'updateOrganization',
        faults: [409, 412],
        summary: 'Update an organization; fields that are missing or null keep their value',
        params: OrganizationParams,
        body: OrganizationUpdate,
        response: { 200: Organization }
      },
      config: { access: edit, trace: updates('organization', 'organization_id') }
    },
    async (request, reply) => {
      const { principal, params, body } = request
      const id = params.organization_id
      await inTransaction(registry, async (registry) => {
        const current = await findOrganization(registry, id)
        if (!current) throw forbidden()
        checkMatch(request, shown(current, principal))
        const fields = fieldsOf(body, current)
        if (body.parent && body.parent !== current.parent_id) {
          if (!principal.organizationsBelow.has(body.parent)) throw forbidden()
          const below = await organizationsBelow(registry, [id])
          if (below.includes(body.parent))
            throw badRequest('parent must not be the organization itself or below it')
          await checkRoles(registry, { id, from: current.parent_id, to: body.parent })
          fields.parent_id = body.parent
        }
        await keepProtected(registry, { kind: 'organization', id }, fields, rights(principal, id))
        await updateOrganization(registry, id, fields, clock())
      })
      return tagged(reply, await answer(id, principal))
    }
  )

  app.delete(
    '/:organization_id',
    {
      schema: {
        tags,
        operationId: 'deleteOrganization',
        summary:
          'Delete an organization; with force also all organizations, installations and members below it',
        params: OrganizationParams,
        querystring: Type.Object({
          force: Type.Optional(
            Type.Boolean({ default: false, description: 'true: delete everything below it too' })
          )
        }),
        response: { 200: Message }
      },
      config: {
        access: onOrganization('organization/create_delete'),
        trace: deletes('organization', 'organization_id')
      }
    },
    async ({ principal, params, query }) => {
      await removeOrganization(deps, principal, params.organization_id, query.force ?? false)
      return { message: 'Deleted' }
    }
  )

  app.post(
    '/:organization_id/force_password_reset',
    {
      schema: {
        tags,
        operationId: 'forcePasswordReset',
        summary:
          'Force every member, here and below, to set a new password with a key sent by mail; also needs user/update',
        params: OrganizationParams,
        response: { 200: Message }
      },
      config: {
        access: edit,
        trace: executes('organization', 'organization_id', 'asked for new passwords in')
      }
    },
    async ({ principal, params }, reply) => {
      if (!holds(principal, 'user/update')) throw forbidden()
      const users = await forcePasswordReset(deps, principal, params.organization_id)
      afterAnswer(reply, () => mailKeys(deps, users))
      const people = users.length === 1 ? '1 user' : `${users.length} users`
      return { message: `${people} must set a new password` }
    }
  )

  metaKeyRoutes(app, {
    tag: 'Organization',
    path: '/:organization_id',
    params: { organization_id: Id },
    view,
    edit,
    owner: { object: 'organization', param: 'organization_id' },
    find: async ({ principal, params }) => {
      const { organization_id: id } = params as { organization_id: number }
      return { keys: metaRows(registry, 'organization', id), rights: rights(principal, id) }
    }
  })

  async function answer(id: number, principal: Principal) {
    const organization = await findOrganization(registry, id)
    if (!organization) throw forbidden()
    return shown(organization, principal)
  }
}

/** Users and policies must not lose the organization that their role comes from. */
async function checkRoles(
  registry: Registry,
  { id, from, to }: { id: number; from: number | null; to: number }
): Promise<void> {
  const kept = await organizationsAbove(registry, [to])
  const above = from === null ? [] : await organizationsAbove(registry, [from])
  const lost = above.filter((one) => !kept.includes(one))
  if (await haveRolesOf(registry, await organizationsBelow(registry, [id]), lost)) {
    throw conflict('users or registration policies have roles of an organization above')
  }
}

const rights = (principal: Principal, id: number): MetaRights => ({
  sees: organizationsProtected(principal, 'view').includes(id),
  edits: organizationsProtected(principal, 'edit').includes(id)
})

/** [contract: Organization] 0 if this is the topmost organization that the caller can see. */
const parentOf = ({ parent_id }: OrganizationRecord, { organizationsBelow }: Principal): number =>
  parent_id !== null && organizationsBelow.has(parent_id) ? parent_id : 0

const simple = (organization: OrganizationRecord, principal: Principal) => ({
  id: organization.id,
  name: organization.name,
  parent: parentOf(organization, principal)
})

const shown = (
  organization: OrganizationRecord,
  principal: Principal
): Static<typeof Organization> => {
  const { parent_id: _p, created: _c, updated: _u, protected_meta, ...visible } = organization
  return {
    ...visible,
    parent: parentOf(organization, principal),
    ...(rights(principal, organization.id).sees && { protected_meta })
  }
}

function fieldsOf(
  body: Static<typeof OrganizationUpdate>,
  current?: OrganizationRecord
): OrganizationFields {
  const { address, ...fields } = given(body, [
    'name',
    'email',
    'phone',
    'notes',
    'force_sms_login',
    'address',
    'meta',
    'protected_meta'
  ])
  return address ? { ...fields, address: completeAddress(address, current?.address) } : fields
}
