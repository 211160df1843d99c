import { sql } from 'kysely'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** The tables of functions and devices get the name of their room. */
export const modelx: Migration = {
  name: 'modelx',
  async up(registry) {
    await registry.schema.alterTable('objects').renameTo('modelx').execute()
    await registry.schema.alterTable('object_counts').renameTo('modelx_counts').execute()
    if (isPostgres(registry)) {
      await sql`alter sequence objects_id_seq rename to modelx_id_seq`.execute(registry)
    }
  }
}
