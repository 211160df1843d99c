import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'
import { addGrants } from '../role-grants.ts'

/** How messages of devices become values. [ADR-0063] */
export const mappings: Migration = {
  name: 'mappings',
  isAdditive: true,
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('mappings')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.references('installations.id').onDelete('cascade')
      )
      .addColumn('organization_id', integer, (c) =>
        c.references('organizations.id').onDelete('cascade')
      )
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('active', integer, (c) => c.notNull())
      .addColumn('make', 'text', (c) => c.notNull())
      .addColumn('filter', 'text', (c) => c.notNull())
      .addColumn('create_missing', integer, (c) => c.notNull())
      .addColumn('rules', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    for (const column of ['installation_id', 'organization_id']) {
      await schema
        .createIndex(`mappings_${column}`)
        .on('mappings')
        .columns([column, 'id'])
        .execute()
    }
    await schema
      .createTable('mapped_functions')
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('topic', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('mapped_functions_pk', ['installation_id', 'topic'])
      .execute()
    await addGrants(
      registry,
      new Map([
        ['Manager', ['mapping/create_delete/all', 'mapping/list/all', 'mapping/update/all']],
        ['User', ['mapping/list/assigned']]
      ])
    )
  }
}
