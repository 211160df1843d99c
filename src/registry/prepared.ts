import type { Compilable, CompiledQuery } from 'kysely'
import type { Registry } from './tables.ts'

/** By text: the name under which PostgreSQL keeps the plan. */
export const preparedNames = new Map<string, string>()

/**
 * A hot query: building its text costs more than running it, so that is done once for each engine.
 * `build` makes it with any values; its parameters come in the order in which they stand in it.
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
