import type { Migration } from '../migration.ts'

/** `log/#` and `12/log/+/all` meant reading, which was all there was. */
const readOnly = (pattern: string): string =>
  pattern.replace(/^(\d+\/)?log\/(#|\+)(?=\/|$)/, (_, place = '', wildcard) =>
    wildcard === '#' ? `${place}log/read/#` : `${place}log/read`
  )

/**
 * A role or key of an older registry must not get `log/delete` by a pattern that was written before
 * there was such a permission. [ADR-0047]
 */
export const logPatterns: Migration = {
  name: 'log patterns',
  async up(registry) {
    const roles = await registry
      .selectFrom('roles')
      .select(['id', 'permissions'])
      .where('permissions', 'like', '%log/%')
      .execute()
    for (const { id, permissions } of roles) {
      const grants = new Map<string, boolean>()
      for (const [pattern, granted] of Object.entries(JSON.parse(permissions))) {
        const name = readOnly(pattern)
        grants.set(name, granted === true || grants.get(name) === true)
      }
      await registry
        .updateTable('roles')
        .set({ permissions: JSON.stringify(Object.fromEntries(grants)) })
        .where('id', '=', id)
        .execute()
    }
    const keys = await registry
      .selectFrom('tokens')
      .select(['id', 'permissions'])
      .where('permissions', 'like', '%log/%')
      .execute()
    for (const { id, permissions } of keys) {
      const names: string[] = JSON.parse(permissions ?? '[]')
      await registry
        .updateTable('tokens')
        .set({ permissions: JSON.stringify(names.map(readOnly)) })
        .where('id', '=', id)
        .execute()
    }
  }
}
