import type { Client, Subscription } from 'aedes'
import { Tally } from '../lib/tally.ts'
import { isTopicFilter } from '../lib/topic.ts'
import type { BrokerRules, Publish, Session } from './bus.ts'
import type { Charges } from './charges.ts'
import type { Connection } from './connection.ts'
import type { Excesses } from './excesses.ts'
import type { FanOut, Heard, Listening } from './fan-out.ts'
import type { Counts, Limits } from './limits.ts'
import type { Retained } from './retained.ts'
import type { Sessions } from './sessions.ts'
import type { Slices } from './slices.ts'

/** A receiver with more than this unsent loses QoS 0 messages, then its connection. */
const slowBytes = 1024 * 1024
const stuckBytes = 8 * 1024 * 1024
/** Retained messages that are written before their receiver is waited for. */
const retainedAtOnce = 16

/** On its way to one receiver. `granted`: the QoS of its subscription. */
type Addressed = Publish & { granted?: 0 | 1 | 2; nl?: boolean | undefined }
type Parts<S extends Session> = {
  rules: BrokerRules<S>
  sessions: Sessions
  retained: Retained
  fanOut: FanOut<Connection<S>>
  slices: Slices
  counts: Counts
  limits: Limits
  excesses: Excesses
  charges: Charges
}

/** What goes to whom: subscriptions, and the check of every single delivery. */
export class Outbound<S extends Session> {
  readonly #parts: Parts<S>
  /** Filters of connections whose sessions are not kept, by owner. */
  readonly #filters = new Tally()

  constructor(parts: Parts<S>) {
    this.#parts = parts
  }

  /** Null is 128 in the SUBACK; for a kept session that comes back it leaves the filter out. */
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
      // Aedes answers when it is on disk.
      const listen = () => this.#listen(connection, subscription)
      session.written.then(listen, () => {})
    } else this.#listen(connection, subscription)
    // What Aedes delivers by a filter of QoS 0 it would send at QoS 0, whatever another one grants.
    return { ...subscription, qos: 2 }
  }

  /** Of a SUBSCRIBE that was answered; those that were refused have QoS 128. */
  async sendRetained(connection: Connection<S>, subscriptions: Subscription[]): Promise<void> {
    const { retainedFor, filters, client } = connection
    for (const { topic } of subscriptions) {
      const listening = filters.get(topic)
      if (listening) retainedFor.set(topic, listening.qos)
    }
    // One walk for each connection; what is asked for meanwhile comes behind it.
    if (connection.isSendingRetained) return
    connection.isSendingRetained = true
    while (retainedFor.size > 0 && !client.closed) {
      const asked = [...retainedFor]
      retainedFor.clear()
      await this.#sendRetained(connection, asked)
    }
    connection.isSendingRetained = false
  }

  hasFilter({ filters, client }: Connection<S>, filter: string): boolean {
    if (filters.has(filter)) return true
    // Not yet on disk.
    return !client.clean && this.#parts.sessions.find(client)?.filters.has(filter) === true
  }

  /** By the filters that match, to be checked in `forward`. */
  deliver({ client }: Connection<S>, packet: Publish, { qos, nl, rap }: Heard<object>): void {
    if (client.closed) return
    const retain = rap ? packet.retain : false // [MQTT 3.3.1-9]
    send(client, { ...packet, retain, nl, granted: qos }, noop)
  }

  /** The client unsubscribed. */
  unsubscribed(connection: Connection<S>, filters: Iterable<string>): void {
    for (const filter of filters) this.#forget(connection, filter)
  }

  /** The connection is gone. */
  leave(connection: Connection<S>): void {
    this.unsubscribed(connection, connection.filters.keys())
  }

  /** Takes back what the session, renewed by now, may no longer subscribe to. */
  async dropLost(connection: Connection<S>): Promise<void> {
    const lost: string[] = []
    for (const filter of connection.filters.keys()) {
      if (!this.#maySubscribe(connection, filter)) lost.push(filter)
      const pause = this.#parts.slices.pause(1, connection.tenant)
      if (pause) await pause
    }
    if (lost.length > 0) this.#unsubscribe(connection, lost)
  }

  /** Null: the receiver does not get it, or not now. */
  forward(connection: Connection<S>, packet: Addressed): Publish | null {
    const { rules, sessions, counts } = this.#parts
    const { session, client, conn } = connection
    if (!session) return null
    if (!rules.mayReceive(session, packet.topic)) {
      if (!client.clean) sessions.find(client)?.outbox?.refuse(packet)
      return null
    }
    // What was sent before has its id, and went in with the QoS it must have.
    if (packet.messageId === undefined && !this.#address(connection, packet)) return null
    if (packet.qos === 0 && conn.writableLength > slowBytes) {
      counts.dropped.slow++
      return null
    }
    // A kept session has the message in its queue and gets it when it comes back.
    if (conn.writableLength > stuckBytes) conn.destroy(new Error('the receiver does not read'))
    counts.delivered++
    return packet
  }

  /** QoS and id of a message for this receiver; false when it does not go out now. */
  #address({ client }: Connection<S>, packet: Addressed): boolean {
    const outbox = client.clean ? undefined : this.#parts.sessions.find(client)?.outbox
    const due = outbox?.claim(packet)
    if (due) {
      Object.assign(packet, due)
      return true
    }
    // [MQTT 3.8.4-6]
    const { granted = packet.qos } = packet
    if (granted < packet.qos) packet.qos = granted
    if (packet.qos === 0 || client.clean) return true
    // [MQTT 4.6.0-6] it waits in the queue, behind what came before it, or went out already.
    if (packet.brokerId) return false
    // Retained, for a SUBSCRIBE.
    packet.messageId = outbox?.borrow()
    return packet.messageId !== undefined
  }

  async #sendRetained(
    { client, tenant }: Connection<S>,
    asked: [filter: string, qos: 0 | 1 | 2][]
  ): Promise<void> {
    const { retained, slices } = this.#parts
    let sending: Promise<void>[] = []
    const pause = (steps: number) => slices.pause(steps, tenant)
    for await (const { value, qos } of retained.under(asked, pause)) {
      if (client.closed) return
      const packet = { ...value, brokerId: '', messageId: undefined, retain: true, granted: qos }
      sending.push(new Promise<void>((resolve) => send(client, packet, resolve)))
      if (sending.length < retainedAtOnce) continue
      // Each resolves when the socket takes more.
      await Promise.all(sending)
      sending = []
    }
    await Promise.all(sending)
  }

  #listen(connection: Connection<S>, { topic, qos, nl, rap }: Subscription): void {
    const { fanOut } = this.#parts
    const { filters, client } = connection
    if (client.closed) return
    const before = filters.get(topic)
    if (before) fanOut.forget(topic, before)
    else this.#count(connection, 1)
    const listening: Listening<Connection<S>> = { receiver: connection, qos, nl, rap }
    filters.set(topic, listening)
    fanOut.listen(topic, listening)
  }

  #forget(connection: Connection<S>, filter: string): boolean {
    const { filters, retainedFor } = connection
    const listening = filters.get(filter)
    if (!listening) return false
    this.#parts.fanOut.forget(filter, listening)
    retainedFor.delete(filter)
    this.#count(connection, -1)
    return filters.delete(filter)
  }

  /** `Sessions` counts those that are kept. */
  #count({ client, owner = '', payers }: Connection<S>, filters: number): void {
    if (!client.clean) return
    this.#filters.add(owner, filters)
    this.#parts.charges.charge('filters', payers, filters)
  }

  #maySubscribe({ session }: Connection<S>, filter: string): boolean {
    // Neither $SYS nor $share is served.
    if (!session || filter.startsWith('$') || !isTopicFilter(filter)) return false
    return this.#parts.rules.maySubscribe(session, filter)
  }

  #hasRoom({ filters, client, owner = '' }: Connection<S>): boolean {
    const { sessions, limits } = this.#parts
    const kept = client.clean ? undefined : sessions.find(client)?.filters
    const ofOwner = this.#filters.of(owner) + sessions.filtersOf(owner)
    const ofConnection = Math.max(filters.size, kept?.size ?? 0)
    return ofConnection < limits.filtersPerConnection && ofOwner < limits.filtersPerOwner
  }

  #unsubscribe(connection: Connection<S>, lost: string[]): void {
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

/** As Aedes does for each of its own filters; `done` when the socket takes more. */
function send(
  client: Client & { deliverQoS?: (packet: Addressed, done: () => void) => void },
  packet: Addressed,
  done: () => void
): void {
  client.deliverQoS?.(packet, done)
}

function noop(): void {}
