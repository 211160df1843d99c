import { sql } from 'kysely'
import { recordChange } from './changes.ts'
import type { Registry } from './tables.ts'

export async function insertOrganization(
  registry: Registry,
  { name, parent_id, now }: { name: string; parent_id: number | null; now: number }
): Promise<number> {
  const { id } = await registry
    .insertInto('organizations')
    .values({
      name,
      parent_id,
      address: '{}',
      email: '',
      phone: '',
      notes: '',
      force_sms_login: 0,
      created: now,
      updated: now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordChange(registry, 'identity', id, now)
  return id
}

/** These organizations and everything below them. */
export async function organizationsBelow(
  registry: Registry,
  ids: readonly number[]
): Promise<number[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    with recursive below(id) as (
      select id from organizations where id in (${sql.join(ids)})
      union
      select child.id from organizations as child join below on child.parent_id = below.id
    ) select id from below order by id`.execute(registry)
  return rows.map(({ id }) => id)
}

/** True when these organizations or any above them ask for a second factor. */
export async function forcesSmsLogin(registry: Registry, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return false
  const { rows } = await sql`
    with recursive above(id, parent_id, force_sms_login) as (
      select id, parent_id, force_sms_login from organizations where id in (${sql.join(ids)})
      union
      select parent.id, parent.parent_id, parent.force_sms_login
      from organizations as parent join above on parent.id = above.parent_id
    ) select 1 from above where force_sms_login = 1 limit 1`.execute(registry)
  return rows.length > 0
}

export const findOrganizationByName = (registry: Registry, name: string) =>
  registry.selectFrom('organizations').select('id').where('name', '=', name).executeTakeFirst()
