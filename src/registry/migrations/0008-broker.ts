import { randomBytes } from 'node:crypto'
import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** The id by which an external broker knows this platform, and the broker's clients. */
export const broker: Migration = {
  name: 'broker',
  async up(registry) {
    const { schema } = registry
    await schema
      .createTable('platform')
      .addColumn('id', 'text', (c) => c.notNull())
      .execute()
    // The id must be hard to guess: with it anybody could join the group in which the platform
    // reads.
    await registry
      .insertInto('platform')
      .values({ id: randomBytes(16).toString('hex') })
      .execute()

    await schema
      .createTable('broker_clients')
      .addColumn('client_id', 'text', (c) => c.primaryKey())
      .addColumn('username', 'text', (c) => c.notNull())
      .addColumn('owner', 'text', (c) => c.notNull())
      .addColumn('sealed', 'text', (c) => c.notNull())
      .addColumn('seen', integerType(registry), (c) => c.notNull())
      .execute()
    await schema.createIndex('broker_clients_seen').on('broker_clients').columns(['seen']).execute()
  }
}
