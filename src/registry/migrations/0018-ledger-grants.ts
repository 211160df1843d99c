import type { Migration } from '../migration.ts'

const added: Readonly<Record<string, string>> = {
  Manager: 'ledger/list/all',
  User: 'ledger/list/assigned'
}

/** The first roles of an older registry get the permissions that they have in a new one. [ADR-0039] */
export const ledgerGrants: Migration = {
  name: 'ledger grants',
  async up(registry) {
    const roles = await registry
      .selectFrom('roles')
      .select(['id', 'name', 'permissions'])
      .where('organization_id', 'is', null)
      .where('name', 'in', Object.keys(added))
      .execute()
    for (const { id, name, permissions } of roles) {
      const grants = { ...JSON.parse(permissions), [added[name] ?? '']: true }
      await registry
        .updateTable('roles')
        .set({ permissions: JSON.stringify(grants) })
        .where('id', '=', id)
        .execute()
    }
  }
}
