import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'
import { createSearchIndex } from '../search-dialect.ts'

/** The search index; what is there already is marked, so the index fills in the background. */
export const search: Migration = {
  name: 'search',
  async up(registry) {
    await createSearchIndex(registry)
    // Pages of everything are found by adding these up, straight from the index.
    await registry.schema
      .createIndex('object_counts_block')
      .on('object_counts')
      .columns(['kind', 'block', 'count'])
      .execute()
    await sql`insert into search_marks (kind, id)
      select kind, id from objects
      union all select 'installation', id from installations where true
      on conflict do nothing`.execute(registry)
  }
}
