import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { Session } from './bus.ts'
import { clientIdIn } from './client-name.ts'
import type { Connection } from './connection.ts'

/** What there was one too many of. */
export type Excess = 'connections' | 'sessions' | 'filters' | 'newcomers'

/** The same owner is not told about again so soon. */
const TELL_AGAIN_MS = 60_000
const MAX_TOLD = 1000

/** Refusals beyond a limit: each is counted, and the log has a line now and then. */
export class Excesses {
  readonly #counts: Record<Excess, number>
  readonly #log: Pick<Logger, 'warn'>
  readonly #told = new Map<string, number>()

  constructor(counts: Record<Excess, number>, log: Pick<Logger, 'warn'>) {
    this.#counts = counts
    this.#log = log
  }

  refuse<S extends Session>(
    what: Excess,
    { owner = '', client, address }: Connection<S>,
    { count = 1, payer }: { count?: number; payer?: string | undefined } = {}
  ): void {
    this.#counts[what] += count
    if (!this.#isNews(`${what} ${owner}`)) return
    this.#log.warn(
      { owner, client: clientIdIn(client.id), address, ...(payer && { quota: payer }) },
      `too many MQTT ${what}: refused`
    )
  }

  /** Before anything was read of it. */
  turnAway(conn: Duplex, address: string): void {
    this.#counts.newcomers++
    conn.destroy()
    if (!this.#isNews('newcomers')) return
    this.#log.warn({ address }, 'too many MQTT connections that have not signed in: refused')
  }

  #isNews(key: string): boolean {
    const now = performance.now()
    if (now - (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) < TELL_AGAIN_MS) return false
    if (this.#told.size >= MAX_TOLD) this.#told.clear()
    this.#told.set(key, now)
    return true
  }
}
