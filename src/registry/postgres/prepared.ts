import type { Compilable, CompiledQuery } from 'kysely'
import type { Registry } from '../tables.ts'

/** Query text -> the name under which PostgreSQL keeps the plan. */
export const preparedNames = new Map<string, string>()

/**
 * For a hot query, whose text costs more to build than to run. The text is built once per engine.
 * `build` may use any values. Pass the parameters in the order in which the query uses them.
 */
export function prepared<Row>(
  build: (registry: Registry) => Compilable<Row>
): (registry: Registry, parameters: readonly unknown[]) => Promise<Row[]> {
  const texts = new Map<unknown, CompiledQuery<Row>>()
  return async (registry, parameters) => {
    const engine = registry.getExecutor().adapter.constructor
    let query = texts.get(engine)
    if (!query) {
      query = build(registry).compile()
      texts.set(engine, query)
      preparedNames.set(query.sql, `hot ${preparedNames.size}`)
    }
    const { rows } = await registry.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}
