import { Type } from 'typebox'
import { firstRoles } from '../../access/catalogue.ts'
import { mayHandOut } from '../../access/delegation.ts'
import { permit } from '../../access/guard.ts'
import type { Principal } from '../../access/principal.ts'
import { creates, deletes, updates } from '../../access/trace.ts'
import type { Routes } from '../../deps.ts'
import { badRequest, forbidden, notFound } from '../../http/errors.ts'
import { given } from '../../http/given.ts'
import { AnyKey, Id, Maybe, Message } from '../../http/schema.ts'
import { isTopicFilter } from '../../lib/topic.ts'
import {
  deleteRole,
  findRole,
  insertRole,
  listRoles,
  type Role as RoleRecord,
  updateRole
} from '../../registry/roles.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { otherAdministrators } from '../../registry/users.ts'

const Permissions = Type.Record(AnyKey, Type.Boolean())
const Priority = Type.Integer({ minimum: 0, maximum: 1_000_000 })
const Name = Type.String({ minLength: 1, maxLength: 255 })

const Role = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  priority: Type.Integer({ description: 'A greater priority is more powerful' }),
  permissions: Permissions
})
const NewRole = Type.Object({ name: Name, priority: Priority, permissions: Maybe(Permissions) })
const RoleUpdate = Type.Object({
  name: Maybe(Name),
  priority: Maybe(Priority),
  permissions: Maybe(Permissions)
})
const RoleParams = Type.Object({ role_id: Id })

/** The role that the first administrator has: without it nobody could mend the others. */
const ADMINISTRATOR = 1

export const roleRoutes: Routes = (app, { registry, directory, clock }) => {
  const tags = ['Role']

  app.get(
    '/',
    {
      schema: { tags, response: { 200: Type.Array(Role) } },
      config: { access: permit('role/list') }
    },
    () => listRoles(registry)
  )

  app.get(
    '/:role_id',
    {
      schema: { tags, params: RoleParams, response: { 200: Role } },
      config: { access: permit('role/list') }
    },
    ({ params }) => find(registry, params.role_id)
  )

  app.post(
    '/',
    {
      schema: { tags, body: NewRole, response: { 200: Role } },
      config: { access: permit('role/create_delete'), trace: creates('role') }
    },
    async ({ principal, body }) => {
      const role = { ...body, permissions: body.permissions ?? {} }
      check(principal, role)
      const id = await insertRole(registry, role)
      if (id === undefined) throw badRequest('name is taken')
      return find(registry, id)
    }
  )

  app.put(
    '/:role_id',
    {
      schema: { tags, params: RoleParams, body: RoleUpdate, response: { 200: Role } },
      config: { access: permit('role/update'), trace: updates('role', 'role_id') }
    },
    async ({ principal, params, body }) => {
      await inTransaction(registry, async (registry) => {
        const role = await findBelow(registry, principal, params.role_id)
        const updated = { ...role, ...given(body, ['name', 'priority', 'permissions']) }
        check(principal, updated)
        if (role.permissions['#'] && !updated.permissions['#']) {
          const others = { without: [], role: role.id, now: clock() }
          if ((await otherAdministrators(registry, others)) === 0) {
            throw badRequest('the last administrator stays')
          }
        }
        if (!(await updateRole(registry, updated, clock()))) throw badRequest('name is taken')
      })
      return find(registry, params.role_id)
    }
  )

  app.delete(
    '/:role_id',
    {
      schema: { tags, params: RoleParams, response: { 200: Message } },
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

  async function find(registry: Registry, id: number): Promise<RoleRecord> {
    const role = await findRole(registry, id)
    if (!role) throw notFound()
    return role
  }

  /** A role that the caller may change. */
  async function findBelow(
    registry: Registry,
    principal: Principal,
    id: number
  ): Promise<RoleRecord> {
    const role = await find(registry, id)
    if (role.id === ADMINISTRATOR) throw badRequest('the Administrator role cannot be changed')
    if (!mayHandOut(principal, directory, role)) throw forbidden()
    return role
  }

  function check(principal: Principal, role: Omit<RoleRecord, 'id'>): void {
    const wrong = Object.keys(role.permissions).find((name) => !isTopicFilter(name))
    if (wrong !== undefined) throw badRequest(`permissions: "${wrong}" is not a permission`)
    if (!mayHandOut(principal, directory, role)) throw forbidden()
  }
}
