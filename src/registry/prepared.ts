import type { Compilable, CompiledQuery } from 'kysely'
import { SqliteAtOnce } from './sqlite/sqlite.ts'
import type { Registry } from './tables.ts'

/** Query text -> the name under which PostgreSQL keeps the plan. */
export const preparedNames = new Map<string, string>()

/** What a query found in a registry in a file since its last change. */
type Found<Row> = { changes: number; rows: Map<string, readonly Row[]> }
const MAX_FOUND = 1000

/**
 * For a hot query, whose text costs more to build than to run. The text is built once per engine.
 * `build` may use any values. Pass the parameters in the order in which the query uses them.
 * `isSmall`, for one row: if the registry is in a file, it is read at once, and such a row stays in
 * memory until the registry changes.
 */
export function prepared<Row>(
  build: (registry: Registry) => Compilable<Row>,
  isSmall?: (row: Row) => boolean
): (registry: Registry, parameters: readonly unknown[]) => Promise<readonly Row[]> {
  const texts = new Map<unknown, CompiledQuery<Row>>()
  const found = new WeakMap<SqliteAtOnce, Found<Row>>()
  return async (registry, parameters) => {
    const { adapter } = registry.getExecutor()
    let query = texts.get(adapter.constructor)
    if (!query) {
      query = build(registry).compile()
      texts.set(adapter.constructor, query)
      preparedNames.set(query.sql, `hot ${preparedNames.size}`)
    }
    if (isSmall && adapter instanceof SqliteAtOnce && !registry.isTransaction) {
      const rows = rowsAtOnce(adapter, isSmall, query.sql, parameters)
      if (rows) return rows
    }
    const { rows } = await registry.executeQuery<Row>({ ...query, parameters })
    return rows
  }

  function rowsAtOnce(
    adapter: SqliteAtOnce,
    isSmall: (row: Row) => boolean,
    sql: string,
    parameters: readonly unknown[]
  ): readonly Row[] | undefined {
    const connection = adapter.free
    if (!connection) return undefined
    const { changes } = connection
    let kept = found.get(adapter)
    if (kept?.changes !== changes || kept.rows.size >= MAX_FOUND) {
      kept = { changes, rows: new Map() }
      found.set(adapter, kept)
    }
    const key = JSON.stringify(parameters)
    const known = kept.rows.get(key)
    if (known) return known
    if (!connection.isInTime()) return undefined
    const { rows } = connection.execute<Row>(sql, parameters)
    if (rows.every(isSmall)) kept.rows.set(key, rows)
    return rows
  }
}
