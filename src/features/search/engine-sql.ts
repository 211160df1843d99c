import { type RawBuilder, sql } from 'kysely'
import { isPostgres } from '../../registry/dialect.ts'
import type { Registry } from '../../registry/tables.ts'
import { OVERSIZED, type SearchToken, type TokenQuery } from './tokens.ts'

/**
 * The index of fresh documents, which are in no segment yet. Documents are numbered in the order of
 * results. SQLite uses FTS5 without texts and positions, PostgreSQL uses arrays with a GIN index.
 */

export type IndexEntry = { doc: number; tokens: readonly SearchToken[] }

/** The entries must be in rising order of `doc`: FTS5 writes them at once only in this order. */
export async function putInIndex(
  registry: Registry,
  entries: readonly IndexEntry[]
): Promise<void> {
  if (isPostgres(registry)) {
    const rows = entries.map(({ doc, tokens }) => sql`(${doc}::bigint, ${tokens}::integer[])`)
    if (rows.length === 0) return
    await sql`insert into search_index (doc, tokens) values ${sql.join(rows)}
      on conflict (doc) do update set tokens = excluded.tokens`.execute(registry)
    return
  }
  for (const { doc, tokens } of entries) {
    const words = tokens.map(wordOf).join(' ')
    await sql`insert or replace into search_index (rowid, tokens)
      values (cast(${doc} as integer), ${words})`.execute(registry)
  }
}

export async function dropFromIndex(registry: Registry, docs: readonly number[]): Promise<void> {
  if (isPostgres(registry)) {
    await sql`delete from search_index where doc = any(${docs}::bigint[])`.execute(registry)
    return
  }
  for (const doc of docs) {
    await sql`delete from search_index where rowid = cast(${doc} as integer)`.execute(registry)
  }
}

/** The first documents with the tokens, in rising order. Without tokens all documents. */
export async function findInIndex(
  registry: Registry,
  tokens: TokenQuery | undefined,
  { after, before, limit }: { after: number; before: number; limit: number }
): Promise<number[]> {
  // Otherwise PostgreSQL would read every document by the primary key to avoid a sort.
  const { rows } = isPostgres(registry)
    ? await sql<{ doc: number }>`
        with found as materialized (
          select doc from search_index where doc > ${after} and doc < ${before} ${has(tokens)})
        select doc from found order by doc limit ${limit}`.execute(registry)
    : await sql<{ doc: number }>`
        select rowid as doc from search_index where rowid > cast(${after} as integer)
        and rowid < cast(${before} as integer) ${matches(tokens)}
        order by rowid limit ${limit}`.execute(registry)
  return rows.map(({ doc }) => doc)
}

const has = (tokens: TokenQuery | undefined): RawBuilder<unknown> => {
  if (!tokens) return sql``
  const conditions = [
    ...(tokens.all.length > 0 ? [sql`tokens @> ${tokens.all}::integer[]`] : []),
    ...tokens.any.map((group) => sql`tokens && ${group}::integer[]`)
  ]
  return sql`and (${sql.join(conditions, sql` and `)} or tokens @> array[${sql.lit(OVERSIZED)}])`
}

/** The words are hashes in quotes, so text of a caller is never read as syntax. */
const matches = (tokens: TokenQuery | undefined): RawBuilder<unknown> => {
  if (!tokens) return sql``
  const groups = [
    ...tokens.all.map((token) => `"${wordOf(token)}"`),
    ...tokens.any.map((group) => `(${group.map((token) => `"${wordOf(token)}"`).join(' OR ')})`)
  ]
  return sql`and search_index match ${`(${groups.join(' AND ')}) OR "${wordOf(OVERSIZED)}"`}`
}

const wordOf = (token: SearchToken): string => (token >>> 0).toString(36)
