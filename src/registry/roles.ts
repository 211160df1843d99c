import { sql } from 'kysely'
import { recordChange } from './changes.ts'
import { isOneOf } from './dialect.ts'
import { organizationsBelow } from './organizations.ts'
import type { Registry } from './tables.ts'

export type Role = {
  id: number
  /** The role is seen and used in this organization and below; null: everywhere. [ADR-0035] */
  organization_id: number | null
  name: string
  /** A greater priority is more powerful. */
  priority: number
  permissions: Record<string, boolean>
}

type RoleFields = Omit<Role, 'id' | 'organization_id'> & { organization_id?: number | null }

const toRow = ({ name, priority, permissions }: RoleFields) => ({
  name,
  priority,
  permissions: JSON.stringify(permissions)
})
const toRole = (row: Omit<Role, 'permissions'> & { permissions: string }): Role => ({
  ...row,
  permissions: JSON.parse(row.permissions)
})

/** Undefined: the organization or the platform already has a role of this name. */
export async function insertRole(
  registry: Registry,
  role: RoleFields
): Promise<number | undefined> {
  const { organization_id = null } = role
  if (await isTaken(registry, { ...role, organization_id })) return undefined
  const inserted = await registry
    .insertInto('roles')
    .values({ ...toRow(role), organization_id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted?.id
}

async function isTaken(
  registry: Registry,
  { id = 0, name, organization_id }: Pick<Role, 'name' | 'organization_id'> & { id?: number }
): Promise<boolean> {
  const other = await registry
    .selectFrom('roles')
    .select('id')
    .where('name', '=', name)
    .where('id', '!=', id)
    .where(({ eb, or }) =>
      or([eb('organization_id', 'is', null), eb('organization_id', '=', organization_id)])
    )
    .executeTakeFirst()
  return other !== undefined
}

export async function listRoles(registry: Registry): Promise<Role[]> {
  const rows = await registry.selectFrom('roles').selectAll().orderBy('id').execute()
  return rows.map(toRole)
}

/** The roles of the platform and of these organizations. */
export async function listRolesWithin(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<Role[]> {
  const rows = await registry
    .selectFrom('roles')
    .selectAll()
    .where(({ eb, or }) =>
      or([
        eb('organization_id', 'is', null),
        isOneOf(registry, sql.ref('organization_id'), organizationIds)
      ])
    )
    .orderBy('id')
    .execute()
  return rows.map(toRole)
}

/** Only the roles that belong to these organizations. */
export async function rolesMadeIn(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<Role[]> {
  const rows = await registry
    .selectFrom('roles')
    .selectAll()
    .where(isOneOf(registry, sql.ref('organization_id'), organizationIds))
    .orderBy('id')
    .execute()
  return rows.map(toRole)
}

/** The roles that these users have. */
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

/** Whether the role may be used in every one of these organizations. */
export async function isRoleOf(
  registry: Registry,
  { organization_id }: Role,
  organizationIds: readonly number[]
): Promise<boolean> {
  if (organization_id === null) return true
  const below = await organizationsBelow(registry, [organization_id])
  return organizationIds.every((id) => below.includes(id))
}

/**
 * Whether members of these organizations, or users who register there, have roles made in `makers`.
 */
export async function haveRolesOf(
  registry: Registry,
  organizationIds: readonly number[],
  makers: readonly number[]
): Promise<boolean> {
  const isMade = isOneOf(registry, sql.ref('roles.organization_id'), makers)
  const { rows } = await sql`
    select 1 from roles join users on users.role_id = roles.id
      join user_organizations as uo on uo.user_id = users.id
    where ${isMade} and ${isOneOf(registry, sql.ref('uo.organization_id'), organizationIds)}
    union
    select 1 from roles join registration_policies as p on p.role_id = roles.id
    where ${isMade} and ${isOneOf(
      registry,
      sql`coalesce(p.organization_id, p.parent_organization)`,
      organizationIds
    )}`.execute(registry)
  return rows.length > 0
}

export async function findRole(registry: Registry, id: number): Promise<Role | undefined> {
  const row = await registry.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRole(row)
}

/** False: another role has the name. The role stays in its organization. */
export async function updateRole(registry: Registry, role: Role, now: number): Promise<boolean> {
  if (await isTaken(registry, role)) return false
  await registry.updateTable('roles').set(toRow(role)).where('id', '=', role.id).execute()
  await recordChange(registry, 'role', role.id, now)
  return true
}

/** False: users have the role, or would get it by registering. */
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
