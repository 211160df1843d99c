import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** The plots that people keep on the first page of an installation. [ADR-0044] */
export const boards: Migration = {
  name: 'boards',
  async up(registry) {
    const integer = integerType(registry)
    await registry.schema
      .createTable('boards')
      .addColumn('installation_id', integer, (c) =>
        c.primaryKey().references('installations.id').onDelete('cascade')
      )
      .addColumn('plots', 'text', (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
  }
}
