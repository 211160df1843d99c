import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Which migrations older programs can live with. [ADR-0059] */
export const additive: Migration = {
  name: 'additive',
  isAdditive: true,
  async up(registry) {
    await registry.schema
      .alterTable('schema_migrations')
      .addColumn('is_additive', integerType(registry), (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
