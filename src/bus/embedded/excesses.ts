import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { Seldom } from '../../lib/seldom.ts'
import type { Session } from '../bus.ts'
import { clientIdIn } from './client-name.ts'
import type { Connection } from './connection.ts'

/** What was over its limit. */
export type BrokerExcess = 'connections' | 'sessions' | 'filters' | 'newcomers'

/** The log names the same owner at most once in this time. */
const LOG_EVERY_MS = 60_000

/** Counts each refusal over a limit, and logs some of them. */
export class Excesses {
  readonly #counts: Record<BrokerExcess, number>
  readonly #log: Pick<Logger, 'warn'>
  readonly #lines = new Seldom(LOG_EVERY_MS)

  constructor(counts: Record<BrokerExcess, number>, log: Pick<Logger, 'warn'>) {
    this.#counts = counts
    this.#log = log
  }

  refuse(
    what: BrokerExcess,
    { owner = '', name, address }: Connection<Session>,
    { count = 1, payer }: { count?: number; payer?: string | undefined } = {}
  ): void {
    this.#counts[what] += count
    if (!this.#lines.isDue(`${what} ${owner}`, performance.now())) return
    this.#log.warn(
      { owner, client: clientIdIn(name), address, ...(payer && { quota: payer }) },
      `too many MQTT ${what}: refused`
    )
  }

  /** Refuses a connection before anything is read from it. */
  turnAway(conn: Duplex, address: string): void {
    this.#counts.newcomers++
    conn.destroy()
    if (!this.#lines.isDue('newcomers', performance.now())) return
    this.#log.warn({ address }, 'too many MQTT connections that have not signed in: refused')
  }
}
