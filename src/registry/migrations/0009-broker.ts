import { randomBytes } from 'node:crypto'
import type { Migration } from '../migrate.ts'

/** What an external broker has to know this platform by. */
export const broker: Migration = {
  name: 'broker',
  async up(registry) {
    await registry.schema
      .createTable('platform')
      .addColumn('id', 'text', (column) => column.notNull())
      .execute()
    await registry
      .insertInto('platform')
      .values({ id: randomBytes(4).toString('hex') })
      .execute()
  }
}
