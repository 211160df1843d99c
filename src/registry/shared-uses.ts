import { sql } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { HOUR, MINUTE, SECOND } from '../lib/unix-time.ts'
import { isPostgres } from './dialect.ts'
import type { Registry } from './tables.ts'

/** Allows a key `most` uses within any `windowMs`. */
export type Limited = { key: string; most: number; windowMs: number }

/** No window is longer. */
const KEEP_MS = HOUR
const SWEEP_EVERY_MS = 10 * MINUTE
/** Advisory locks by the place of the key in the list, so that two nodes cannot deadlock. */
const LOCK_CLASS = 72616400

/** Undefined if this node is the only one. */
export const sharedUsesOf = (registry: Registry, clock: Clock): SharedUses | undefined =>
  isPostgres(registry) ? new SharedUses(registry, clock) : undefined

/** Recent uses of limited things, which all nodes count together. */
export class SharedUses {
  readonly #registry: Registry
  readonly #clock: Clock
  #sweptAt = 0

  constructor(registry: Registry, clock: Clock) {
    this.#registry = registry
    this.#clock = clock
  }

  /** Seconds until all limits allow a use; 0: now, and it is counted for each of them. */
  async take(limits: readonly Limited[]): Promise<number> {
    return this.#registry.transaction().execute(async (registry) => {
      for (const [place, { key }] of limits.entries())
        await sql`select pg_advisory_xact_lock(${LOCK_CLASS + place}, hashtext(${key}))`.execute(
          registry
        )
      const now = this.#clock()
      await this.#sweep(registry, now)
      let wait = 0
      for (const limit of limits) wait = Math.max(wait, await waitOf(registry, limit, now))
      if (wait > 0) return Math.ceil(wait / SECOND)
      await registry
        .insertInto('recent_uses')
        .values(limits.map(({ key }) => ({ key, at: now })))
        .execute()
      return 0
    })
  }

  /** The last use does not count. */
  async takeBack(key: string): Promise<void> {
    await sql`delete from recent_uses where ctid = (
      select ctid from recent_uses where key = ${key} order by at desc limit 1)`.execute(
      this.#registry
    )
  }

  async forget(key: string): Promise<void> {
    await this.#registry.deleteFrom('recent_uses').where('key', '=', key).execute()
  }

  async #sweep(registry: Registry, now: number): Promise<void> {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = now
    await registry
      .deleteFrom('recent_uses')
      .where('at', '<', now - KEEP_MS)
      .execute()
  }
}

async function waitOf(
  registry: Registry,
  { key, most, windowMs }: Limited,
  now: number
): Promise<number> {
  const oldest = await registry
    .selectFrom('recent_uses')
    .select('at')
    .where('key', '=', key)
    .where('at', '>', now - windowMs)
    .orderBy('at', 'desc')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst()
  // The clock of another node may be ahead.
  return oldest ? Math.min(oldest.at + windowMs - now, windowMs) : 0
}
