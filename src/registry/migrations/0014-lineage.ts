import { idKinds } from '../../lib/lineage.ts'
import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** The ids that history has reserved, and whether history knows this platform. */
export const lineage: Migration = {
  name: 'lineage',
  async up(registry) {
    const { schema } = registry
    const integer = integerType(registry)
    await schema
      .createTable('id_reserves')
      .addColumn('kind', 'text', (c) => c.primaryKey())
      .addColumn('asked', integer, (c) => c.notNull())
      .addColumn('confirmed', integer)
      .execute()
    await registry
      .insertInto('id_reserves')
      .values(idKinds.map((kind) => ({ kind, asked: 0, confirmed: null })))
      .execute()
    await schema
      .alterTable('platform')
      .addColumn('has_history', integer, (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
