import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Files of installations and organizations, and the contents they refer to. */
export const files: Migration = {
  name: 'files',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('file_contents')
      .addColumn('hash', 'text', (c) => c.primaryKey())
      .addColumn('look_at', integer)
      .execute()
    await schema
      .createIndex('file_contents_look_at')
      .on('file_contents')
      .columns(['look_at'])
      .execute()
    await schema
      .createTable('files')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.references('installations.id').onDelete('cascade')
      )
      .addColumn('organization_id', integer, (c) =>
        c.references('organizations.id').onDelete('cascade')
      )
      .addColumn('hash', 'text', (c) => c.notNull().references('file_contents.hash'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('mime', 'text', (c) => c.notNull())
      .addColumn('size', integer, (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    for (const column of ['installation_id', 'organization_id', 'hash'] as const) {
      await schema.createIndex(`files_${column}`).on('files').columns([column]).execute()
    }
  }
}
