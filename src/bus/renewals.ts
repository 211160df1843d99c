import type { Logger } from 'pino'
import type { BrokerRules, Session } from './bus.ts'
import { clientIdIn } from './client-name.ts'
import type { Connection } from './connection.ts'
import type { Outbound } from './outbound.ts'
import { Rounds } from './rounds.ts'
import type { Sessions } from './sessions.ts'
import { eachOf } from './waiting.ts'

type Parts<S extends Session> = {
  rules: BrokerRules<S>
  log: Pick<Logger, 'error'>
  sessions: Sessions
  outbound: Outbound<S>
  /** By the name of their client. */
  holders: ReadonlyMap<string, Connection<S>>
}

/** Asks about everyone again, after a token, user, key, role or grant changed. */
export class Renewals<S extends Session> {
  readonly #parts: Parts<S>
  readonly #rounds = new Rounds(() => this.#renewAll())

  constructor(parts: Parts<S>) {
    this.#parts = parts
  }

  /** How many rounds have begun. */
  get count(): number {
    return this.#rounds.count
  }

  ask(): Promise<void> {
    return this.#rounds.ask()
  }

  async #renewAll(): Promise<void> {
    await eachOf(this.#parts.holders.values(), (connection) => this.#renew(connection))
    await this.#endGone()
  }

  async #endGone(): Promise<void> {
    const { sessions, rules, log } = this.#parts
    try {
      sessions.endOf(await rules.gone(sessions.owners))
    } catch (error) {
      log.error({ err: error }, 'MQTT sessions of deleted owners not ended')
    }
  }

  async #renew(connection: Connection<S>): Promise<void> {
    const { rules, log, outbound } = this.#parts
    const { session, client } = connection
    if (!session) return
    let renewed: S | undefined
    try {
      renewed = await rules.renew(session)
    } catch (error) {
      // Not known to have ended; the next round asks again.
      log.error({ err: error, client: clientIdIn(client.id) }, 'MQTT session not renewed')
      return
    }
    if (renewed?.owner !== session.owner) {
      // Without a session nothing more goes in or out, its will included.
      connection.session = undefined
      client.close()
      return
    }
    connection.session = renewed
    await outbound.dropLost(connection)
  }
}
