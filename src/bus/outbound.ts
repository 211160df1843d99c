import type { AedesPublishPacket, Subscription } from 'aedes'
import { isTopicFilter } from '../lib/topic.ts'
import type { Counts } from './broker.ts'
import type { BrokerRules, Session } from './bus.ts'
import type { Connection } from './connection.ts'
import type { Sessions } from './sessions.ts'

const maxFilters = 10_000
/** A receiver with more than this unsent loses QoS 0 messages, then its connection. */
const slowBytes = 1024 * 1024
const stuckBytes = 8 * 1024 * 1024

/** What goes to whom: subscriptions, and the check of every single delivery. */
export class Outbound<S extends Session> {
  readonly #rules: BrokerRules<S>
  readonly #sessions: Sessions
  readonly #counts: Counts

  constructor(options: { rules: BrokerRules<S>; sessions: Sessions; counts: Counts }) {
    this.#rules = options.rules
    this.#sessions = options.sessions
    this.#counts = options.counts
  }

  /** Null is 128 in the SUBACK; for a stored session that comes back it leaves the filter out. */
  subscribe(connection: Connection<S>, subscription: Subscription): Subscription | null {
    const { topic, qos } = subscription
    if (this.#maySubscribe(connection, topic)) {
      connection.grant(topic, qos)
      return subscription
    }
    this.#unsubscribe(connection, [topic])
    return null
  }

  /** Takes back what the session, renewed by now, may no longer subscribe to. */
  dropLost(connection: Connection<S>): void {
    const filters = [...connection.filters.keys()]
    const lost = filters.filter((filter) => !this.#maySubscribe(connection, filter))
    if (lost.length > 0) this.#unsubscribe(connection, lost)
  }

  /** Null: the receiver does not get it, or not now. */
  forward(connection: Connection<S>, packet: AedesPublishPacket): AedesPublishPacket | null {
    const { session, client, conn } = connection
    if (!session) return null
    if (!this.#rules.mayReceive(session, packet.topic)) {
      this.#sessions.forget(client.id, packet.brokerCounter)
      return null
    }
    // What comes out of a queue has its id, and went in with the QoS it must have.
    const isQueued = packet.messageId !== undefined
    const qos = connection.grantedQos(packet.topic, packet.qos)
    if (!isQueued) {
      // A second filter of the same client; all receivers of a message are called in one go.
      if (packet.brokerCounter === connection.lastForwarded) return null
      // [MQTT 4.6.0-6] it waits in the queue, behind what came before it.
      if (qos > 0 && !connection.isReady && !client.clean) return null
      packet.qos = qos
    }
    if (qos === 0 && conn.writableLength > slowBytes) {
      this.#counts.dropped++
      return null
    }
    // A stored session has the message in its queue and gets it when it comes back.
    if (conn.writableLength > stuckBytes) conn.destroy(new Error('the receiver does not read'))
    connection.lastForwarded = packet.brokerCounter
    this.#counts.delivered++
    return packet
  }

  #maySubscribe({ session, filters }: Connection<S>, filter: string): boolean {
    if (!session || (filters.size >= maxFilters && !filters.has(filter))) return false
    // Neither $SYS nor $share is served.
    if (filter.startsWith('$') || !isTopicFilter(filter)) return false
    return this.#rules.maySubscribe(session, filter)
  }

  #unsubscribe({ client, filters }: Connection<S>, lost: string[]): void {
    const unsubscriptions = lost.filter((filter) => filters.delete(filter))
    if (unsubscriptions.length > 0) {
      client.unsubscribe({ cmd: 'unsubscribe', unsubscriptions }, () => {})
    }
    void this.#sessions.removeSubscriptions(client, lost)
  }
}
