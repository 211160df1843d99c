import { sql } from 'kysely'
import { recordChange } from './changes.ts'
import { isOneOf } from './dialect.ts'
import type { Registry } from './tables.ts'

export type Role = {
  id: number
  name: string
  /** A greater priority is more powerful. */
  priority: number
  permissions: Record<string, boolean>
}

type RoleFields = Omit<Role, 'id'>

const toRow = ({ name, priority, permissions }: RoleFields) => ({
  name,
  priority,
  permissions: JSON.stringify(permissions)
})
const toRole = (row: Omit<Role, 'permissions'> & { permissions: string }): Role => ({
  ...row,
  permissions: JSON.parse(row.permissions)
})

/** Undefined: the name is taken. */
export async function insertRole(
  registry: Registry,
  role: RoleFields
): Promise<number | undefined> {
  const inserted = await registry
    .insertInto('roles')
    .values(toRow(role))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted?.id
}

export async function listRoles(registry: Registry): Promise<Role[]> {
  const rows = await registry.selectFrom('roles').selectAll().orderBy('id').execute()
  return rows.map(toRole)
}

/** Each role that one of these users has. */
export async function rolesOf(registry: Registry, userIds: readonly number[]): Promise<Role[]> {
  const rows = await registry
    .selectFrom('roles')
    .selectAll()
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('users')
        .select('role_id')
        .where(isOneOf(registry, sql.ref('users.id'), userIds))
    )
    .execute()
  return rows.map(toRole)
}

export async function findRole(registry: Registry, id: number): Promise<Role | undefined> {
  const row = await registry.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRole(row)
}

/** False: another role has the name. */
export async function updateRole(
  registry: Registry,
  { id, ...role }: Role,
  now: number
): Promise<boolean> {
  const other = await registry
    .selectFrom('roles')
    .select('id')
    .where('name', '=', role.name)
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other) return false
  await registry.updateTable('roles').set(toRow(role)).where('id', '=', id).execute()
  await recordChange(registry, 'identity', id, now)
  return true
}

/** False: users have it, or would get it by registering. */
export async function deleteRole(registry: Registry, id: number): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('roles')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('users').select('users.id').where('role_id', '=', id)))
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('registration_policies as p').select('p.id').where('role_id', '=', id)))
    )
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
