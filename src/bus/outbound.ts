import type { Subscription } from 'aedes'
import { isTopicFilter } from '../lib/topic.ts'
import type { Counts } from './broker.ts'
import type { BrokerRules, Publish, Session } from './bus.ts'
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

  /** Null is 128 in the SUBACK; for a kept session that comes back it leaves the filter out. */
  subscribe(connection: Connection<S>, subscription: Subscription): Subscription | null {
    const { topic, qos } = subscription
    const { client } = connection
    if (!this.#maySubscribe(connection, topic)) {
      this.#unsubscribe(connection, [topic])
      return null
    }
    connection.grant(topic, qos)
    const session = client.clean ? undefined : this.#sessions.find(client)
    if (session) this.#sessions.subscribe(session, subscription)
    // What Aedes delivers by a filter of QoS 0 it would send at QoS 0, whatever another one grants.
    return { ...subscription, qos: 2 }
  }

  /** Takes back what the session, renewed by now, may no longer subscribe to. */
  dropLost(connection: Connection<S>): void {
    const filters = [...connection.filters.keys()]
    const lost = filters.filter((filter) => !this.#maySubscribe(connection, filter))
    if (lost.length > 0) this.#unsubscribe(connection, lost)
  }

  /** Null: the receiver does not get it, or not now. */
  forward(connection: Connection<S>, packet: Publish): Publish | null {
    const { session, client, conn } = connection
    if (!session) return null
    if (!this.#rules.mayReceive(session, packet.topic)) {
      if (!client.clean) this.#sessions.find(client)?.outbox?.refuse(packet)
      return null
    }
    // What was sent before has its id, and went in with the QoS it must have.
    if (packet.messageId === undefined && !this.#address(connection, packet)) return null
    if (packet.qos === 0 && conn.writableLength > slowBytes) {
      this.#counts.dropped.slow++
      return null
    }
    // A kept session has the message in its queue and gets it when it comes back.
    if (conn.writableLength > stuckBytes) conn.destroy(new Error('the receiver does not read'))
    connection.lastForwarded = packet.brokerCounter
    this.#counts.delivered++
    return packet
  }

  /** QoS and id of a message for this receiver; false when it does not go out now. */
  #address(connection: Connection<S>, packet: Publish): boolean {
    const { client } = connection
    const outbox = client.clean ? undefined : this.#sessions.find(client)?.outbox
    const due = outbox?.claim(packet)
    if (due) {
      Object.assign(packet, due)
      return true
    }
    // A second filter of the same client; all receivers of a message are called in one go.
    if (packet.brokerCounter === connection.lastForwarded) return false
    packet.qos = connection.grantedQos(packet.topic, packet.qos)
    if (packet.qos === 0 || client.clean) return true
    // [MQTT 4.6.0-6] it waits in the queue, behind what came before it, or went out already.
    if (packet.brokerId) return false
    // Retained, for a SUBSCRIBE.
    packet.messageId = outbox?.borrow()
    return packet.messageId !== undefined
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
    const session = client.clean ? undefined : this.#sessions.find(client)
    if (session) this.#sessions.unsubscribe(session, lost)
  }
}
