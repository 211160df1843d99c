import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** What all nodes count together: tries to sign in, and messages. [ADR-0056] */
export const sharedLimits: Migration = {
  name: 'shared limits',
  async up(registry) {
    const integer = integerType(registry)
    await registry.schema
      .createTable('recent_uses')
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('at', integer, (c) => c.notNull())
      .execute()
    await registry.schema
      .createIndex('recent_uses_by_key')
      .on('recent_uses')
      .columns(['key', 'at'])
      .execute()
    await registry.schema
      .createIndex('recent_uses_by_time')
      .on('recent_uses')
      .columns(['at'])
      .execute()
    await registry.schema
      .alterTable('usage')
      .addColumn('messages', integer, (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
