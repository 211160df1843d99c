import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { defaults } from '../../http/described.ts'
import { badRequest, conflict, forbidden, notFound } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { given } from '../../http/given.ts'
import { AnyKey, Id, Maybe, Message } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { isTopicFilter } from '../../lib/topic.ts'
import { firstRoles } from '../../permission/catalogue.ts'
import { mayHandOut } from '../../permission/delegation.ts'
import { permit } from '../../permission/guard.ts'
import type { Principal } from '../../permission/principal.ts'
import { mayWriteRolesOf, rolesVisibleTo, visibleRole } from '../../permission/role-place.ts'
import { reachesEverything } from '../../permission/visibility.ts'
import {
  deleteRole,
  insertRole,
  type Role as RoleRecord,
  rolesMadeIn,
  updateRole
} from '../../registry/roles.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { otherAdministrators } from '../../registry/users.ts'

const MAX_PERMISSIONS = 1000
const MAX_ROLES_PER_ORGANIZATION = 100

const Permissions = Type.Record(AnyKey, Type.Boolean(), { maxProperties: MAX_PERMISSIONS })
const Priority = Type.Integer({ minimum: 0, maximum: 1_000_000 })
const Name = Type.String({ minLength: 1, maxLength: 255 })

const Role = Type.Object(
  {
    id: Type.Integer(),
    organization_id: Type.Integer({
      description: 'The role is visible and usable here and below; 0 = on the whole platform'
    }),
    name: Type.String(),
    priority: Type.Integer({
      description: 'Callers cannot give or change roles with a higher priority than their own'
    }),
    permissions: Permissions
  },
  { title: 'Role' }
)
const Organization = Maybe(Type.Union([Id, Type.Literal(0)]))
const NewRole = Type.Object(
  {
    organization_id: Organization,
    name: Name,
    priority: Priority,
    permissions: Maybe(Permissions)
  },
  { title: 'NewRole', ...defaults({ permissions: {} }) }
)
const RoleUpdate = Type.Object(
  {
    organization_id: Organization,
    name: Maybe(Name),
    priority: Maybe(Priority),
    permissions: Maybe(Permissions)
  },
  { title: 'RoleUpdate' }
)
const RoleParams = Type.Object({ role_id: Id })

/**
 * The role of the first administrator. It cannot be changed, so that somebody can always repair the
 * others.
 */
const ADMINISTRATOR_ROLE_ID = 1

const shown = (role: RoleRecord): Static<typeof Role> => ({
  ...role,
  organization_id: role.organization_id ?? 0
})

/** The organization of a new role; null means the whole platform, if the caller reaches it. */
function placeOf(principal: Principal, given: number | null | undefined): number | null {
  const isPlatforms = !given && reachesEverything(principal)
  const place = isPlatforms ? null : given || principal.organizationIds[0]
  if (place === undefined) throw badRequest('organization_id is required')
  if (!mayWriteRolesOf(principal, place)) throw forbidden()
  return place
}

export const roleRoutes: Routes = (app, { registry, directory, clock }) => {
  const tags = ['Role']

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: 'listRoles',
        summary: 'Roles of the platform and of the organizations that the caller can see',
        response: { 200: Type.Array(Role) }
      },
      config: { access: permit('role/list') }
    },
    async ({ principal }) => (await rolesVisibleTo(registry, principal)).map(shown)
  )

  app.get(
    '/:role_id',
    {
      schema: {
        tags,
        operationId: 'getRole',
        summary: 'One role',
        faults: [404],
        params: RoleParams,
        response: { 200: Role }
      },
      config: { access: permit('role/list') }
    },
    async ({ principal, params }, reply) =>
      tagged(reply, shown(await find(registry, principal, params.role_id)))
  )

  app.post(
    '/',
    {
      schema: {
        tags,
        operationId: 'createRole',
        faults: [409],
        summary:
          "Create a role; default: of the platform if the caller reaches all of it, else of the caller's first organization",
        body: NewRole,
        response: { 200: Role }
      },
      config: { access: permit('role/create_delete'), trace: creates('role') }
    },
    async ({ principal, body }) => {
      const organization_id = placeOf(principal, body.organization_id)
      const role = { ...body, organization_id, permissions: body.permissions ?? {} }
      check(principal, role)
      const id = await inTransaction(registry, async (registry) => {
        const made = organization_id ? await rolesMadeIn(registry, [organization_id]) : []
        if (made.length >= MAX_ROLES_PER_ORGANIZATION) {
          throw conflict(`the organization has ${MAX_ROLES_PER_ORGANIZATION} roles already`)
        }
        return insertRole(registry, role)
      })
      if (id === undefined) throw badRequest('name is taken')
      return shown(await find(registry, principal, id))
    }
  )

  app.put(
    '/:role_id',
    {
      schema: {
        tags,
        operationId: 'updateRole',
        summary: 'Update a role; fields that are missing or null keep their value',
        faults: [404, 412],
        params: RoleParams,
        body: RoleUpdate,
        response: { 200: Role }
      },
      config: { access: permit('role/update'), trace: updates('role', 'role_id') }
    },
    async (request, reply) => {
      const { principal, params, body } = request
      await inTransaction(registry, async (registry) => {
        const role = await findBelow(registry, principal, params.role_id)
        checkMatch(request, shown(role))
        if (body.organization_id && body.organization_id !== role.organization_id) {
          throw badRequest('organization_id cannot be changed')
        }
        const updated = { ...role, ...given(body, ['name', 'priority', 'permissions']) }
        check(principal, updated)
        if (role.permissions['#'] && !updated.permissions['#']) {
          const others = { without: [], role: role.id, now: clock() }
          if ((await otherAdministrators(registry, others)) === 0) {
            throw badRequest('the last administrator cannot be removed')
          }
        }
        if (!(await updateRole(registry, updated, clock()))) throw badRequest('name is taken')
      })
      return tagged(reply, shown(await find(registry, principal, params.role_id)))
    }
  )

  app.delete(
    '/:role_id',
    {
      schema: {
        tags,
        operationId: 'deleteRole',
        summary: 'Delete a role',
        faults: [404],
        params: RoleParams,
        response: { 200: Message }
      },
      config: { access: permit('role/create_delete'), trace: deletes('role', 'role_id') }
    },
    async ({ principal, params }) => {
      const role = await findBelow(registry, principal, params.role_id)
      if (role.id <= firstRoles.length) throw badRequest('the role comes with the platform')
      if (!(await deleteRole(registry, role.id)))
        throw badRequest('users or registration policies have this role')
      return { message: 'Deleted' }
    }
  )

  async function find(registry: Registry, principal: Principal, id: number): Promise<RoleRecord> {
    const role = await visibleRole(registry, principal, id)
    if (!role) throw notFound()
    return role
  }

  /** Finds a role that the caller may change, or throws. */
  async function findBelow(
    registry: Registry,
    principal: Principal,
    id: number
  ): Promise<RoleRecord> {
    const role = await find(registry, principal, id)
    if (!mayWriteRolesOf(principal, role.organization_id)) throw forbidden()
    if (role.id === ADMINISTRATOR_ROLE_ID)
      throw badRequest('the Administrator role cannot be changed')
    if (!mayHandOut(principal, directory, role)) throw forbidden()
    return role
  }

  function check(principal: Principal, role: Pick<RoleRecord, 'priority' | 'permissions'>): void {
    const wrong = Object.keys(role.permissions).find((name) => !isTopicFilter(name))
    if (wrong !== undefined) throw badRequest(`permissions: "${wrong}" is not a permission`)
    if (!mayHandOut(principal, directory, role)) throw forbidden()
  }
}
