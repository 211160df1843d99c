import { sql } from 'kysely'
import { integerType, isPostgres } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/**
 * Segments of the search index. Documents that are indexed already go to segments in the
 * background; until then searches find them where they are. [ADR-0061]
 */
export const searchSegments: Migration = {
  name: 'search segments',
  async up(registry) {
    const integer = integerType(registry)
    const bytes = isPostgres(registry) ? 'bytea' : 'blob'
    await registry.schema
      .createTable('search_chunks')
      .addColumn('chunk', integer, (c) => c.primaryKey())
      .addColumn('segment', integer, (c) => c.notNull())
      .addColumn('docs', bytes)
      .addColumn('gone', bytes)
      .addColumn('building', integer, (c) => c.notNull())
      .addColumn('gone_next', bytes)
      .addColumn('outdated', integer, (c) => c.notNull())
      .addColumn('fresh', integer, (c) => c.notNull())
      .execute()
    await registry.schema
      .createTable('search_postings')
      .addColumn('place', integer, (c) => c.primaryKey())
      .addColumn('sets', bytes, (c) => c.notNull())
      .execute()
    if (isPostgres(registry)) {
      // Sets are packed already, and read faster if they are in the row.
      await sql`alter table search_postings alter column sets set storage external`.execute(
        registry
      )
      await sql`alter table search_postings set (toast_tuple_target = 8160)`.execute(registry)
    }
    // In the order of `docOf`, 16 384 documents a chunk.
    await sql`insert into search_chunks (chunk, segment, building, outdated, fresh)
      select chunk, 0, 0, -1, count(*) from (
        select (case kind when 'device' then 0 else 1 end * 281474976710656 + id) / 16384 as chunk
        from modelx
        union all select (2 * 281474976710656 + id) / 16384 from installations) as docs
      group by chunk`.execute(registry)
  }
}
