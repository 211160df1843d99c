import type { Client, Subscription } from 'aedes'
import { Tally } from '../../lib/tally.ts'
import { isTopicFilter } from '../../lib/topic.ts'
import type { BrokerRules, Publish, Session } from '../bus.ts'
import type { BrokerCharges } from './charges.ts'
import type { Connection } from './connection.ts'
import type { Excesses } from './excesses.ts'
import type { Delivery, FanOut, Listening } from './fan-out.ts'
import type { BrokerLimits, Counts } from './limits.ts'
import type { Retained } from './retained.ts'
import type { Sessions } from './sessions.ts'
import type { Slices } from './slices.ts'

/** A receiver with more unsent bytes loses QoS 0 messages. */
const SLOW_BYTES = 1024 * 1024
/** A receiver with more unsent bytes loses its connection. */
const STUCK_BYTES = 8 * 1024 * 1024
/** Retained messages that are written before the broker waits for the receiver. */
const RETAINED_AT_ONCE = 16

/** A message on its way to one receiver. `granted` is the QoS of the subscription. */
type Addressed = Publish & { granted?: 0 | 1 | 2; nl?: boolean | undefined }
type Parts<S extends Session> = {
  rules: BrokerRules<S>
  sessions: Sessions
  retained: Retained
  fanOut: FanOut<Connection<Session>>
  slices: Slices
  counts: Counts
  limits: BrokerLimits
  excesses: Excesses
  charges: BrokerCharges
}

/** The subscriptions, and the check of every single delivery. */
export class Deliveries<S extends Session> {
  readonly #parts: Parts<S>
  /** Filters of connections whose sessions are not kept, by account. */
  readonly #filters = new Tally()

  constructor(parts: Parts<S>) {
    this.#parts = parts
  }

  /**
   * Null becomes 128 in the SUBACK. If the client of a kept session connects again, null leaves the
   * filter out.
   */
  subscribe(connection: Connection<S>, subscription: Subscription): Subscription | null {
    const { topic } = subscription
    const { client } = connection
    const maySubscribe = this.#maySubscribe(connection, topic)
    if (maySubscribe && !this.hasFilter(connection, topic)) {
      const payer = this.#parts.charges.whoIsFull('filters', connection.payers)
      if (payer || !this.#hasRoom(connection)) {
        this.#parts.excesses.refuse('filters', connection, { payer })
        return null
      }
    }
    if (!maySubscribe) {
      this.#unsubscribe(connection, [topic])
      return null
    }
    const { sessions } = this.#parts
    const session = client.clean ? undefined : sessions.find(client)
    if (session) {
      sessions.subscribe(session, subscription)
      // Aedes answers when the filter is on disk.
      const listen = () => this.#listen(connection, subscription)
      session.written.then(listen, () => {})
    } else this.#listen(connection, subscription)
    // Through a filter of QoS 0 Aedes would send at QoS 0, even if another filter grants more.
    return { ...subscription, qos: 2 }
  }

  /** Sends the retained messages for a SUBSCRIBE that was answered. */
  async sendRetained(
    connection: Connection<Session>,
    subscriptions: Subscription[]
  ): Promise<void> {
    const { retainedFor, filters, client } = connection
    for (const { topic } of subscriptions) {
      const listening = filters.get(topic)
      if (listening) retainedFor.set(topic, listening.qos)
    }
    // One walk at a time for each connection. Filters that come in the meantime wait for the next
    // walk.
    if (connection.isSendingRetained) return
    connection.isSendingRetained = true
    while (retainedFor.size > 0 && !client.closed) {
      const asked = [...retainedFor]
      retainedFor.clear()
      await this.#sendRetained(connection, asked)
    }
    connection.isSendingRetained = false
  }

  hasFilter({ filters, client }: Connection<Session>, filter: string): boolean {
    if (filters.has(filter)) return true
    // The filter may not be on disk yet.
    return !client.clean && this.#parts.sessions.find(client)?.filters.has(filter) === true
  }

  /** Gives the message to Aedes, which asks `forward` whether the client may have it. */
  deliver({ client }: Connection<Session>, packet: Publish, { qos, nl, rap }: Delivery): void {
    if (client.closed) return
    const retain = rap ? packet.retain : false // [MQTT 3.3.1-9]
    send(client, { ...packet, retain, nl, granted: qos }, noop)
  }

  /** The client has unsubscribed. */
  unsubscribed(connection: Connection<Session>, filters: Iterable<string>): void {
    for (const filter of filters) this.#forget(connection, filter)
  }

  /** The connection has ended. */
  leave(connection: Connection<Session>): void {
    this.unsubscribed(connection, connection.filters.keys())
  }

  /** Removes the filters that the session, which was just renewed, may no longer have. */
  async dropLost(connection: Connection<S>): Promise<void> {
    const lost: string[] = []
    for (const filter of connection.filters.keys()) {
      if (!this.#maySubscribe(connection, filter)) lost.push(filter)
      const pause = this.#parts.slices.pause(1, connection.tenant)
      if (pause) await pause
    }
    if (lost.length > 0) this.#unsubscribe(connection, lost)
  }

  /** Null: the receiver does not get the message, or not now. */
  forward(connection: Connection<S>, packet: Addressed): Publish | null {
    const { rules, sessions, counts } = this.#parts
    const { session, client, conn, mount } = connection
    if (!session) return null
    if (!rules.mayReceive(session, packet.topic)) {
      if (!client.clean) sessions.find(client)?.feed?.refuse(packet)
      return null
    }
    // A repeated message already has its packet id and its QoS.
    if (packet.messageId === undefined && !this.#address(connection, packet)) return null
    if (packet.qos === 0 && conn.writableLength > SLOW_BYTES) {
      counts.dropped.slow++
      return null
    }
    // A kept session has the message in its queue, and its client gets it when it connects again.
    if (conn.writableLength > STUCK_BYTES) conn.destroy(new Error('the receiver does not read'))
    counts.delivered++
    // Last: the packet is the receiver's own, but until here it is known by its whole topic.
    if (mount) packet.topic = mount.leave(packet.topic)
    return packet
  }

  /** Sets QoS and packet id of a message for this receiver; false if it is not sent now. */
  #address({ client }: Connection<Session>, packet: Addressed): boolean {
    const feed = client.clean ? undefined : this.#parts.sessions.find(client)?.feed
    const due = feed?.claim(packet)
    if (due) {
      Object.assign(packet, due)
      return true
    }
    // [MQTT 3.8.4-6]
    const { granted = packet.qos } = packet
    if (granted < packet.qos) packet.qos = granted
    if (packet.qos === 0 || client.clean) return true
    // [MQTT 4.6.0-6] The message waits in the queue behind earlier ones, or was already sent.
    if (packet.brokerId) return false
    // A retained message for a SUBSCRIBE.
    packet.messageId = feed?.borrow()
    return packet.messageId !== undefined
  }

  async #sendRetained(
    { client, tenant }: Connection<Session>,
    asked: [filter: string, qos: 0 | 1 | 2][]
  ): Promise<void> {
    const { retained, slices } = this.#parts
    let sending: Promise<void>[] = []
    const pause = (steps: number) => slices.pause(steps, tenant)
    for await (const { value, qos } of retained.under(asked, pause)) {
      if (client.closed) return
      const packet = { ...value, brokerId: '', messageId: undefined, retain: true, granted: qos }
      sending.push(new Promise<void>((resolve) => send(client, packet, resolve)))
      if (sending.length < RETAINED_AT_ONCE) continue
      // Each promise resolves when the socket takes more.
      await Promise.all(sending)
      sending = []
    }
    await Promise.all(sending)
  }

  #listen(connection: Connection<Session>, { topic, qos, nl, rap }: Subscription): void {
    const { fanOut } = this.#parts
    const { filters, client } = connection
    if (client.closed) return
    const before = filters.get(topic)
    if (before) fanOut.forget(topic, before)
    else this.#count(connection, 1)
    const listening: Listening<Connection<Session>> = { receiver: connection, qos, nl, rap }
    filters.set(topic, listening)
    fanOut.listen(topic, listening)
  }

  #forget(connection: Connection<Session>, filter: string): boolean {
    const { filters, retainedFor } = connection
    const listening = filters.get(filter)
    if (!listening) return false
    this.#parts.fanOut.forget(filter, listening)
    retainedFor.delete(filter)
    this.#count(connection, -1)
    return filters.delete(filter)
  }

  /** `Sessions` counts the filters of kept sessions. */
  #count({ client, account, payers }: Connection<Session>, filters: number): void {
    if (!client.clean) return
    this.#filters.add(account, filters)
    this.#parts.charges.charge('filters', payers, filters)
  }

  #maySubscribe({ session }: Connection<S>, filter: string): boolean {
    // The broker serves neither $SYS nor $share.
    if (!session || filter.startsWith('$') || !isTopicFilter(filter)) return false
    return this.#parts.rules.maySubscribe(session, filter)
  }

  #hasRoom({ filters, client, account }: Connection<Session>): boolean {
    const { sessions, limits } = this.#parts
    const kept = client.clean ? undefined : sessions.find(client)?.filters
    const ofOwner = this.#filters.of(account) + sessions.filtersOf(account)
    const ofConnection = Math.max(filters.size, kept?.size ?? 0)
    return ofConnection < limits.filtersPerConnection && ofOwner < limits.filtersPerOwner
  }

  #unsubscribe(connection: Connection<Session>, lost: string[]): void {
    const { sessions } = this.#parts
    const { client } = connection
    const unsubscriptions = lost.filter((filter) => this.#forget(connection, filter))
    if (unsubscriptions.length > 0) {
      client.unsubscribe({ cmd: 'unsubscribe', unsubscriptions }, noop)
    }
    const session = client.clean ? undefined : sessions.find(client)
    if (session) sessions.unsubscribe(session, lost)
  }
}

/** Sends as Aedes does for its own filters. `done` is called when the socket takes more. */
function send(
  client: Client & { deliverQoS?: (packet: Addressed, done: () => void) => void },
  packet: Addressed,
  done: () => void
): void {
  client.deliverQoS?.(packet, done)
}

function noop(): void {}
