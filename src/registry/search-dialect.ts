import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { OVERSIZED, type Token, type TokenQuery } from '../lib/search-tokens.ts'
import { isPostgres } from './dialect.ts'
import type { Registry } from './tables.ts'

/**
 * The index of both engines: the tokens of documents, which are numbered in the order of results.
 * SQLite: FTS5 that keeps neither texts nor positions. PostgreSQL: arrays with a GIN index.
 */

export type IndexEntry = { doc: number; tokens: readonly Token[] }

export async function createSearchIndex(registry: Registry): Promise<void> {
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

/** In a transaction: nobody ever sees the documents without it. */
export async function withoutTokenIndex(
  registry: Registry,
  work: () => Promise<void>
): Promise<void> {
  if (!isPostgres(registry)) return work()
  await sql`drop index search_index_tokens`.execute(registry)
  await work()
  await sql`set local maintenance_work_mem = '256MB'`.execute(registry)
  await createTokenIndex(registry)
}

/** In rising order of `doc`: FTS5 takes them only so in one go. */
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

/** The first documents that have the tokens, in rising order. */
export async function findInIndex(
  registry: Registry,
  tokens: TokenQuery,
  { after, before, limit }: { after: number; before: number; limit: number }
): Promise<number[]> {
  // PostgreSQL would walk the primary key to spare a sort, and read every document on the way.
  const { rows } = isPostgres(registry)
    ? await sql<{ doc: number }>`
        with found as materialized (
          select doc from search_index where doc > ${after} and doc < ${before} and ${has(tokens)})
        select doc from found order by doc limit ${limit}`.execute(registry)
    : await sql<{ doc: number }>`
        select rowid as doc from search_index where search_index match ${expression(tokens)}
        and rowid > cast(${after} as integer) and rowid < cast(${before} as integer)
        order by rowid limit ${limit}`.execute(registry)
  return rows.map(({ doc }) => doc)
}

const has = ({ all, any }: TokenQuery): RawBuilder<SqlBool> => {
  const conditions = [
    ...(all.length > 0 ? [sql`tokens @> ${all}::integer[]`] : []),
    ...any.map((group) => sql`tokens && ${group}::integer[]`)
  ]
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)} or tokens @> array[${sql.lit(OVERSIZED)}])`
}

/** Words are digits and letters in quotes, so nothing a caller wrote is ever read as syntax. */
const expression = ({ all, any }: TokenQuery): string => {
  const groups = [
    ...all.map((token) => `"${wordOf(token)}"`),
    ...any.map((group) => `(${group.map((token) => `"${wordOf(token)}"`).join(' OR ')})`)
  ]
  return `(${groups.join(' AND ')}) OR "${wordOf(OVERSIZED)}"`
}

const wordOf = (token: Token): string => (token >>> 0).toString(36)
