import type { Logger } from 'pino'
import { Rounds } from '../../lib/rounds.ts'
import type { BrokerRules, Session } from '../bus.ts'
import { clientIdIn } from './client-name.ts'
import type { Connection } from './connection.ts'
import type { Sessions } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'
import { eachOf } from './waiting.ts'
import { reasons } from './wire/reasons.ts'

type Parts<S extends Session> = {
  rules: BrokerRules<S>
  log: Pick<Logger, 'error'>
  sessions: Sessions
  subscriptions: Subscriptions<S>
  /** By the name of the client. */
  holders: ReadonlyMap<string, Connection<S>>
}

/** Checks every session again, after a token, user, key, role or grant has changed. */
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
      log.error({ err: error }, 'the MQTT sessions of deleted owners could not be ended')
    }
  }

  async #renew(connection: Connection<S>): Promise<void> {
    const { rules, log, subscriptions } = this.#parts
    const { session, name } = connection
    if (!session) return
    let renewed: S | undefined
    try {
      renewed = await rules.renew(session)
    } catch (error) {
      // The session may still be valid. The next round asks again.
      log.error(
        { err: error, client: clientIdIn(name) },
        'an MQTT session could not be checked again'
      )
      return
    }
    if (renewed?.owner !== session.owner) {
      // Without a session nothing is received or delivered, and the will is not sent.
      connection.session = undefined
      connection.close(reasons.administrative, 'the credential is no longer valid')
      return
    }
    connection.session = renewed
    await subscriptions.dropLost(connection)
  }
}
