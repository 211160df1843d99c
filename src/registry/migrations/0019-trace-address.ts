import type { Migration } from '../migration.ts'

/** The address of the caller. Older entries have none. [ADR-0042] */
export const traceAddress: Migration = {
  name: 'trace address',
  async up(registry) {
    await registry.schema
      .alterTable('trace')
      .addColumn('address', 'text', (c) => c.notNull().defaultTo(''))
      .execute()
  }
}
