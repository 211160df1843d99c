import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Functions and devices. */
export const objects: Migration = {
  name: 'objects',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    // No foreign key: objects of a deleted installation are removed in the background, see
    // erasures.
    await schema
      .createTable('objects')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('installation_id', integer, (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('type_folded', 'text', (c) => c.notNull())
      .addColumn('meta', 'text', (c) => c.notNull())
      .addColumn('protected_meta', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('objects_installation_id')
      .on('objects')
      .columns(['installation_id', 'kind', 'id'])
      .execute()

    await schema
      .createTable('object_counts')
      .addColumn('installation_id', integer, (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('block', integer, (c) => c.notNull())
      .addColumn('count', integer, (c) => c.notNull())
      .addPrimaryKeyConstraint('object_counts_pk', ['installation_id', 'kind', 'block'])
      .execute()

    await schema
      .createTable('search_marks')
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('id', integer, (c) => c.notNull())
      .addPrimaryKeyConstraint('search_marks_pk', ['kind', 'id'])
      .execute()
  }
}
