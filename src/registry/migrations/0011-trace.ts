import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Who changed what, and when. */
export const trace: Migration = {
  name: 'trace',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    // No foreign keys: entries live longer than the objects they describe.
    await schema
      .createTable('trace')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('timestamp', integer, (c) => c.notNull())
      .addColumn('user_id', integer, (c) => c.notNull())
      .addColumn('method', 'text', (c) => c.notNull())
      .addColumn('path', 'text', (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('object_type', 'text', (c) => c.notNull())
      .addColumn('object_id', integer, (c) => c.notNull())
      .addColumn('installation_id', integer)
      .addColumn('organization_id', integer)
      .addColumn('description', 'text', (c) => c.notNull())
      .execute()
    await schema.createIndex('trace_time').on('trace').columns(['timestamp', 'id']).execute()
    await schema
      .createIndex('trace_object')
      .on('trace')
      .columns(['object_type', 'object_id', 'timestamp', 'id'])
      .execute()
    await schema
      .createTable('organization_heirs')
      .addColumn('organization_id', integer, (c) => c.primaryKey())
      .addColumn('heir_id', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('organization_heirs_heir')
      .on('organization_heirs')
      .columns(['heir_id'])
      .execute()
  }
}
