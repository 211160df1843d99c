import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Edge apps, their versions, and their instances in installations. */
export const edge: Migration = {
  name: 'edge',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('edge_apps')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('publisher_id', integer, (c) => c.notNull().references('organizations.id'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('category', 'text', (c) => c.notNull())
      .addColumn('tags', 'text', (c) => c.notNull())
      .addColumn('short_description', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('source_url', 'text', (c) => c.notNull())
      .addColumn('official', integer, (c) => c.notNull())
      .addColumn('public', integer, (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('edge_apps_publisher_id')
      .on('edge_apps')
      .columns(['publisher_id'])
      .execute()

    await schema
      .createTable('edge_app_versions')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('app_id', integer, (c) =>
        c.notNull().references('edge_apps.id').onDelete('cascade')
      )
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('name', 'text')
      .addColumn('app_json', 'text', (c) => c.notNull())
      .addColumn('app_lua', 'text', (c) => c.notNull())
      .addColumn('uploaded', integer, (c) => c.notNull())
      .addUniqueConstraint('edge_app_versions_hash', ['app_id', 'hash'])
      .addUniqueConstraint('edge_app_versions_name', ['app_id', 'name'])
      .execute()

    await schema
      .createTable('edge_app_instances')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('app_id', integer, (c) => c.notNull().references('edge_apps.id'))
      .addColumn('version', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('config', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('edge_app_instances_installation_id')
      .on('edge_app_instances')
      .columns(['installation_id', 'app_id'])
      .execute()
  }
}
