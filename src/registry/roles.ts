import type { Registry } from './tables.ts'

export type Role = {
  id: number
  name: string
  priority: number
  permissions: Record<string, boolean>
}

export async function insertRole(registry: Registry, role: Omit<Role, 'id'>): Promise<number> {
  const { id } = await registry
    .insertInto('roles')
    .values({ ...role, permissions: JSON.stringify(role.permissions) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
