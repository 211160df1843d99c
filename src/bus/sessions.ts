import { Readable } from 'node:stream'
import type { Client, Subscription } from 'aedes'
import { hasWildcard, topicMatches } from '../lib/topic.ts'
import { Outbox, type Outgoing, type Publish } from './outbox.ts'
import { TopicTree } from './topic-tree.ts'

type Named = Pick<Client, 'id'>
type Stored = Subscription & { clientId: string }
type StoredSession = { owner: string; subscriptions: Map<string, Stored>; outbox: Outbox }

/**
 * What Aedes calls persistence: stored sessions, QoS 2 receipts and retained messages, in memory.
 * Methods without a comment have the meaning Aedes gives them.
 */
export class Sessions {
  readonly #sessions = new Map<string, StoredSession>()
  readonly #subscribers = new TopicTree<Stored>()
  readonly #retained = new Map<string, Publish>()
  /** Client id -> message id -> the packet being handled, or true when it was. */
  readonly #received = new Map<string, Map<number, object | true>>()
  readonly #isGranted: (client: Named, filter: string) => boolean
  readonly #unsubscribed: (client: Named, filters: string[]) => void
  readonly #overflowed: () => void

  constructor(options: {
    isGranted: (client: Named, filter: string) => boolean
    unsubscribed: (client: Named, filters: string[]) => void
    /** A message for an offline session was not queued because its queue is full. */
    overflowed: () => void
  }) {
    this.#isGranted = options.isGranted
    this.#unsubscribed = options.unsubscribed
    this.#overflowed = options.overflowed
  }

  /** The owner of a stored session, connected or not. */
  ownerOf(id: string): string | undefined {
    return this.#sessions.get(id)?.owner
  }

  keep(id: string, owner: string): void {
    if (this.#sessions.has(id)) return
    this.#sessions.set(id, { owner, subscriptions: new Map(), outbox: new Outbox() })
  }

  /** False when this QoS 2 message id is taken by an earlier packet that was not yet released. */
  receive(id: string, messageId: number, packet: object): boolean {
    let received = this.#received.get(id)
    if (!received) {
      received = new Map()
      this.#received.set(id, received)
    }
    if (received.has(messageId)) return false
    received.set(messageId, packet)
    return true
  }

  /** The packet was not taken over: its sender will send it again. */
  unreceive(id: string, messageId: number, packet: object): void {
    const received = this.#received.get(id)
    if (received?.get(messageId) === packet) received.delete(messageId)
  }

  /** A queued message must not be sent. */
  forget(id: string, counter: number): void {
    this.#sessions.get(id)?.outbox.forget(counter)
  }

  unsent(id: string): Publish[] {
    return this.#sessions.get(id)?.outbox.unsent() ?? []
  }

  async setup(): Promise<void> {
    await Promise.resolve() // Aedes accepts only a function declared `async`.
  }

  incomingGetPacket({ id }: Named, packet: { messageId: number }): Promise<object | true> {
    const found = this.#received.get(id)?.get(packet.messageId)
    // The packet that is being handled finds itself: it is no duplicate.
    if (found === undefined || found === packet) return Promise.reject(new Error('no such packet'))
    return Promise.resolve(found)
  }

  incomingStorePacket({ id }: Named, { messageId }: { messageId: number }): Promise<void> {
    this.#received.get(id)?.set(messageId, true)
    return Promise.resolve()
  }

  incomingDelPacket({ id }: Named, { messageId }: { messageId: number }): Promise<void> {
    this.#received.get(id)?.delete(messageId)
    return Promise.resolve()
  }

  cleanIncoming({ id }: Named): Promise<void> {
    this.#received.delete(id)
    return Promise.resolve()
  }

  /** Aedes hands over all filters of a SUBSCRIBE as soon as one of them is granted. */
  addSubscriptions(client: Named, subscriptions: Subscription[]): Promise<void> {
    const session = this.#sessions.get(client.id)
    for (const subscription of subscriptions) {
      if (!session || !this.#isGranted(client, subscription.topic)) continue
      this.#unsubscribe(session, subscription.topic)
      const stored = { ...subscription, clientId: client.id }
      session.subscriptions.set(subscription.topic, stored)
      if (stored.qos > 0) this.#subscribers.add(stored.topic, stored)
    }
    return Promise.resolve()
  }

  removeSubscriptions(client: Named, filters: string[]): Promise<void> {
    const session = this.#sessions.get(client.id)
    // Now: a SUBSCRIBE right behind it is granted before Aedes tells that this one is done.
    this.#unsubscribed(client, filters)
    if (session) for (const filter of filters) this.#unsubscribe(session, filter)
    return Promise.resolve()
  }

  subscriptionsByClient({ id }: Named): Promise<Subscription[]> {
    const stored = this.#sessions.get(id)?.subscriptions.values() ?? []
    return Promise.resolve(Array.from(stored, ({ clientId: _, ...subscription }) => subscription))
  }

  subscriptionsByTopic(topic: string): Promise<Stored[]> {
    return Promise.resolve(this.#subscribers.match(topic))
  }

  /** [MQTT 3.1.2-6] a client that connects clean ends the session it had. */
  cleanSubscriptions({ id }: Named): Promise<void> {
    const session = this.#sessions.get(id)
    if (session)
      for (const filter of session.subscriptions.keys()) this.#unsubscribe(session, filter)
    this.#sessions.delete(id)
    return Promise.resolve()
  }

  outgoingEnqueueCombi(subscriptions: Stored[], packet: Publish): Promise<void> {
    const strongest = new Map<string, Stored>()
    for (const subscription of subscriptions) {
      if (subscription.nl && packet.clientId === subscription.clientId) continue
      const other = strongest.get(subscription.clientId)
      if (!other || other.qos < subscription.qos) strongest.set(subscription.clientId, subscription)
    }
    for (const subscription of strongest.values()) this.#enqueue(subscription, packet)
    return Promise.resolve()
  }

  outgoingUpdate({ id }: Named, packet: Outgoing): Promise<void> {
    this.#sessions.get(id)?.outbox.update(packet)
    return Promise.resolve()
  }

  /** Without an id Aedes only decided not to send it now; `forget` is for what must not be sent. */
  outgoingClearMessageId(
    { id }: Named,
    { messageId }: { messageId?: number }
  ): Promise<Outgoing | undefined> {
    const outbox = this.#sessions.get(id)?.outbox
    return Promise.resolve(messageId === undefined ? undefined : outbox?.acknowledge(messageId))
  }

  outgoingStream({ id }: Named): Readable {
    return Readable.from(this.#sessions.get(id)?.outbox.all() ?? [])
  }

  /** Called for what `unsent` gave, which is queued. */
  outgoingEnqueue(): Promise<void> {
    return Promise.resolve()
  }

  storeRetained(packet: Publish): Promise<void> {
    if (packet.payload.length === 0) this.#retained.delete(packet.topic)
    else this.#retained.set(packet.topic, { ...packet })
    return Promise.resolve()
  }

  createRetainedStreamCombi(filters: string[]): Readable {
    return Readable.from(this.#retainedUnder(filters))
  }

  // A will lives in its connection. Stored wills are for a broker that took over from another one.
  putWill(client: Named, will: object): Promise<void> {
    Object.assign(will, { clientId: client.id })
    return Promise.resolve()
  }

  delWill(): Promise<void> {
    return Promise.resolve()
  }

  streamWill(): Readable {
    return Readable.from([])
  }

  *#retainedUnder(filters: string[]): Generator<Publish> {
    for (const filter of filters) {
      if (!hasWildcard(filter)) {
        const packet = this.#retained.get(filter)
        if (packet) yield packet
        continue
      }
      for (const [topic, packet] of this.#retained) if (topicMatches(filter, topic)) yield packet
    }
  }

  #unsubscribe(session: StoredSession, filter: string): void {
    const stored = session.subscriptions.get(filter)
    if (!stored) return
    session.subscriptions.delete(filter)
    this.#subscribers.remove(filter, stored)
  }

  #enqueue({ clientId, qos, rap }: Stored, packet: Publish): void {
    const isQueued = this.#sessions.get(clientId)?.outbox.add({
      ...packet,
      qos: qos < packet.qos ? qos : packet.qos, // [MQTT 3.8.4-6]
      retain: rap ? packet.retain : false // [MQTT 3.3.1-9]
    })
    if (isQueued === false) this.#overflowed()
  }
}
