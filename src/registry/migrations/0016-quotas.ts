import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Quotas of single owners, and their usage. [ADR-0037] */
export const quotas: Migration = {
  name: 'quotas',
  async up(registry) {
    const { schema } = registry
    const integer = integerType(registry)
    await schema
      .createTable('quotas')
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('id', integer, (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('quota', integer, (c) => c.notNull())
      .addPrimaryKeyConstraint('quotas_key', ['kind', 'id', 'name'])
      .execute()
    await schema
      .createTable('usage')
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('id', integer, (c) => c.notNull())
      .addColumn('day', integer, (c) => c.notNull())
      .addColumn('day_bytes', integer, (c) => c.notNull())
      .addColumn('bytes', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .addPrimaryKeyConstraint('usage_key', ['kind', 'id'])
      .execute()
    await schema.createIndex('usage_updated').on('usage').columns(['updated']).execute()
    await schema
      .createTable('usage_months')
      .addColumn('installation_id', integer, (c) => c.notNull())
      .addColumn('month', 'text', (c) => c.notNull())
      .addColumn('bytes', integer, (c) => c.notNull())
      .addPrimaryKeyConstraint('usage_months_key', ['installation_id', 'month'])
      .execute()
    await schema.createIndex('usage_months_month').on('usage_months').columns(['month']).execute()
    await schema
      .alterTable('platform')
      .addColumn('has_usage', integer, (c) => c.notNull().defaultTo(0))
      .execute()
  }
}
