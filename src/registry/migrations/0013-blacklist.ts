import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Topics that are blocked, and topics whose values are not stored. */
export const blacklist: Migration = {
  name: 'blacklist',
  async up(registry) {
    const integer = integerType(registry)
    await registry.schema
      .createTable('topic_blacklist')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('topic', 'text', (c) => c.notNull())
      .addColumn('mode', 'text', (c) => c.notNull())
      .addColumn('enabled', integer, (c) => c.notNull())
      .addColumn('reason', 'text', (c) => c.notNull())
      .addColumn('count', integer, (c) => c.notNull())
      .execute()
  }
}
