import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/**
 * Mounts of keys and of gateways. Older programs do not accept a mounted key: its hash is stored
 * in another form. [ADR-0062]
 */
export const mounts: Migration = {
  name: 'mounts',
  isAdditive: true,
  async up(registry) {
    await registry.schema
      .alterTable('tokens')
      .addColumn('mount_installation_id', integerType(registry), (c) =>
        c.references('installations.id').onDelete('cascade')
      )
      .execute()
    await registry.schema.alterTable('tokens').addColumn('mount_prefix', 'text').execute()
    await registry.schema
      .createIndex('tokens_by_mount')
      .on('tokens')
      .column('mount_installation_id')
      .execute()
    await registry.schema.alterTable('gateways').addColumn('mount_prefix', 'text').execute()
  }
}
