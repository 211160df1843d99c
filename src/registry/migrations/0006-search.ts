import { sql } from 'kysely'
import { isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'
import type { Registry } from '../tables.ts'

/** The search index. Existing rows are marked, so the index fills in the background. */
export const search: Migration = {
  name: 'search',
  async up(registry) {
    await createSearchIndex(registry)
    // Search adds these counts up to find a page. The index alone is enough for that.
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

async function createSearchIndex(registry: Registry): Promise<void> {
  if (isPostgres(registry)) {
    await sql`create table search_index (doc bigint primary key, tokens integer[] not null)`.execute(
      registry
    )
    await createTokenIndex(registry)
  } else {
    await sql`create virtual table search_index using fts5(
      tokens, content='', contentless_delete=1, detail=none, tokenize='ascii')`.execute(registry)
  }
}

const createTokenIndex = (registry: Registry) =>
  sql`create index search_index_tokens on search_index using gin (tokens)`.execute(registry)
