import { sql } from 'kysely'
import { idColumn, integerType, isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'
import type { Registry } from '../tables.ts'

/** Roles of an organization. Older roles belong to the platform. [ADR-0035] */
export const roles: Migration = {
  name: 'roles',
  async up(registry) {
    if (isPostgres(registry)) {
      await sql`alter table roles drop constraint roles_name_key`.execute(registry)
      await sql`alter table roles add column organization_id bigint
        references organizations (id)`.execute(registry)
    } else await rebuild(registry)
    await registry.schema
      .createIndex('roles_organization')
      .on('roles')
      .columns(['organization_id'])
      .execute()
    await sql`create unique index roles_name on roles (coalesce(organization_id, 0), name)`.execute(
      registry
    )
  }
}

/**
 * SQLite cannot drop a unique constraint. The table is created again with the same rows and ids.
 */
async function rebuild(registry: Registry): Promise<void> {
  const integer = integerType(registry)
  // For a moment users refer to rows that do not exist.
  await sql`pragma defer_foreign_keys = on`.execute(registry)
  await sql`create table roles_before as select * from roles`.execute(registry)
  const { rows } = await sql<{ seq: number }>`
    select seq from sqlite_sequence where name = 'roles'`.execute(registry)
  await registry.schema.dropTable('roles').execute()
  await registry.schema
    .createTable('roles')
    .addColumn('id', integer, idColumn(registry))
    .addColumn('organization_id', integer, (c) => c.references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('priority', integer, (c) => c.notNull())
    .addColumn('permissions', 'text', (c) => c.notNull())
    .execute()
  await sql`insert into roles (id, name, priority, permissions)
    select id, name, priority, permissions from roles_before order by id`.execute(registry)
  await sql`drop table roles_before`.execute(registry)
  for (const { seq } of rows) {
    await sql`update sqlite_sequence set seq = ${seq} where name = 'roles'`.execute(registry)
  }
}
