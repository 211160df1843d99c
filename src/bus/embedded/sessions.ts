import type { Client, Subscription } from 'aedes'
import type { Clock } from '../../lib/clock.ts'
import { accountOf } from '../../lib/owner.ts'
import { Tally } from '../../lib/tally.ts'
import { TopicTree } from '../../lib/topic-tree.ts'
import type { Publish } from '../bus.ts'
import type { BrokerCharges } from './charges.ts'
import { clientIdIn, nameOf } from './client-name.ts'
import type { Receipts } from './receipts.ts'
import { SessionFeed } from './session-feed.ts'
import type { Change, Contents } from './store/changes.ts'
import { bytesOf, type Store } from './store/store.ts'

type KeptSubscription = Subscription & { session: KeptSession }
export type KeptSession = {
  readonly key: number
  /** Made of the owner and the client id. */
  readonly name: string
  readonly owner: string
  readonly filters: Map<string, KeptSubscription>
  /** Who pays for its filters; nobody until its client connects to this process. */
  payers: readonly string[]
  /** When its client was last connected. */
  used: number
  /** Set while its client is connected. */
  feed: SessionFeed | undefined
  /** True if no earlier connection has used it. */
  isNew: boolean
  /** Resolves when its filters are on disk. */
  written: Promise<void>
}
type Named = Pick<Client, 'id'>
type Parts = {
  store: Store
  receipts: Receipts
  clock: Clock
  maxPerOwner: number
  charges: BrokerCharges
}

/** The sessions that outlive their connections [MQTT 3.1.2.4], with their filters and queues. */
export class Sessions {
  readonly #parts: Parts
  readonly #sessions = new Map<string, KeptSession>()
  /** By account, as the filters. */
  readonly #perAccount = new Tally()
  readonly #filters = new Tally()
  readonly #receivers = new TopicTree<KeptSubscription>()
  #lastKey = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  restore({ sessions, filters, lastKey }: Contents): void {
    this.#lastKey = lastKey
    const byKey = new Map<number, KeptSession>()
    for (const { key, clientId, owner, used } of sessions) {
      const name = nameOf(owner, clientId)
      byKey.set(key, this.#begin({ key, name, owner, used, isNew: false }))
    }
    for (const { key, filter, ...options } of filters) {
      const session = byKey.get(key)
      if (session) this.#listen(this.#add(session, { topic: filter, ...options } as Subscription))
    }
  }

  get size(): number {
    return this.#sessions.size
  }

  /** How many filters the sessions of an account have. */
  filtersOf(account: string): number {
    return this.#filters.of(account)
  }

  get owners(): Iterable<string> {
    return new Set(Array.from(this.#sessions.values(), ({ owner }) => owner))
  }

  find({ id }: Named): KeptSession | undefined {
    return this.#sessions.get(id)
  }

  /** The session of a client that connects, old or new; undefined if its owner has too many. */
  async open(
    client: Client,
    { owner, payers }: Pick<KeptSession, 'owner' | 'payers'>
  ): Promise<KeptSession | undefined> {
    const { charges, store, receipts, clock, maxPerOwner } = this.#parts
    let session = this.#sessions.get(client.id)
    if (session) {
      session.isNew = false
      void store.write({ kind: 'awake', key: session.key })
    } else {
      if (this.#perAccount.of(accountOf(owner)) >= maxPerOwner) return undefined
      const begun = { key: ++this.#lastKey, owner }
      session = this.#begin({ ...begun, name: client.id, used: clock(), isNew: true })
      const clientId = clientIdIn(client.id)
      void store.write({ kind: 'session', ...begun, clientId, at: session.used })
    }
    charges.charge('filters', session.payers, -session.filters.size)
    session.payers = payers
    charges.charge('filters', payers, session.filters.size)
    const { key } = session
    const { sent, received } = await store.read('resume', { key })
    if (client.closed) return session
    session.feed = new SessionFeed(client, { key, store, sent })
    receipts.restore(client.id, received)
    return session
  }

  /** The client has disconnected. Its session stays. */
  rest(client: Client): void {
    const { store, receipts, clock } = this.#parts
    const session = this.#sessions.get(client.id)
    if (session?.feed?.client !== client) return
    session.feed.end()
    session.feed = undefined
    session.used = clock()
    receipts.forget(client.id)
    void store.write({ kind: 'asleep', key: session.key, at: session.used })
  }

  /** [MQTT 3.1.2-6] A client that connects clean ends the session it had. */
  end(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    if (!session) return Promise.resolve()
    for (const kept of session.filters.values()) this.#forget(kept)
    this.#sessions.delete(id)
    this.#perAccount.add(accountOf(session.owner), -1)
    return this.#parts.store.write({ kind: 'end', key: session.key })
  }

  /** Ends the sessions that no client has used since then; returns how many. */
  endUnusedSince(time: number): number {
    let ended = 0
    for (const [id, { used, feed }] of this.#sessions) {
      if (feed || used >= time) continue
      void this.end(id)
      ended++
    }
    return ended
  }

  /**
   * Ends the sessions of these owners. The session of a connected client stays until a later call.
   */
  endOf(owners: ReadonlySet<string>): void {
    if (owners.size === 0) return
    for (const [id, { owner, feed }] of this.#sessions) {
      if (!feed && owners.has(owner)) void this.end(id)
    }
  }

  /** The filter takes effect when it is on disk. From then on messages are queued for it. */
  subscribe(session: KeptSession, subscription: Subscription): void {
    const before = session.filters.get(subscription.topic)
    if (before && isSame(before, subscription)) return
    const kept = this.#add(session, subscription)
    if (before) this.#receivers.remove(before.topic, before)
    const { topic: filter, qos, nl, rap, rh } = subscription
    const { key } = session
    session.written = this.#parts.store.write({
      kind: 'subscribe',
      key,
      filter,
      qos,
      nl,
      rap,
      rh
    })
    session.written.then(
      () => this.#listen(kept),
      () => this.#forget(kept)
    )
  }

  unsubscribe(session: KeptSession, filters: string[]): void {
    for (const filter of filters) {
      const kept = session.filters.get(filter)
      if (!kept) continue
      this.#forget(kept)
      session.written = this.#parts.store.write({ kind: 'unsubscribe', key: session.key, filter })
    }
  }

  isHeard(topic: string): boolean {
    return this.#receivers.match(topic).length > 0
  }

  /**
   * The sessions that must get the message at QoS 1 or 2, each with its filter of the highest QoS.
   */
  receiversOf({ topic, qos, clientId }: Publish): KeptSubscription[] {
    if (qos === 0) return []
    const found = this.#receivers.match(topic)
    if (found.length < 2 && clientId === undefined) return found
    const strongest = new Map<KeptSession, KeptSubscription>()
    for (const kept of found) {
      if (kept.nl && clientId === kept.session.name) continue
      const other = strongest.get(kept.session)
      if (!other || other.qos < kept.qos) strongest.set(kept.session, kept)
    }
    return [...strongest.values()]
  }

  /** The change that queues the message. A client that can get it at once gets a packet id here. */
  enqueue(packet: Publish, receivers: KeptSubscription[]): Change {
    const { topic, brokerCounter: seq } = packet
    const payload = bytesOf(packet.payload as Buffer)
    const feeds: SessionFeed[] = []
    packet.feeds = feeds
    return {
      kind: 'message',
      seq,
      topic,
      payload,
      receivers: receivers.map(({ session, rap, qos: granted }) => {
        const qos = granted < packet.qos ? granted : packet.qos // [MQTT 3.8.4-6]
        const retain = rap ? packet.retain : false // [MQTT 3.3.1-9]
        const messageId = session.feed?.reserve(seq, qos, payload.length)
        if (session.feed && messageId !== undefined) feeds.push(session.feed)
        return { key: session.key, qos, retain, messageId }
      })
    }
  }

  /** The message could not be written. */
  unqueue({ brokerCounter: seq }: Publish, receivers: KeptSubscription[]): void {
    for (const { session } of receivers) session.feed?.forget(seq)
  }

  #begin(begun: Pick<KeptSession, 'key' | 'name' | 'owner' | 'used' | 'isNew'>): KeptSession {
    const session = {
      ...begun,
      filters: new Map(),
      payers: [],
      feed: undefined,
      written: Promise.resolve()
    }
    this.#sessions.set(begun.name, session)
    this.#perAccount.add(accountOf(begun.owner), 1)
    return session
  }

  #add(session: KeptSession, subscription: Subscription): KeptSubscription {
    const kept = { ...subscription, session }
    if (!session.filters.has(kept.topic)) this.#count(session, 1)
    session.filters.set(kept.topic, kept)
    return kept
  }

  /** Does nothing if the filter was removed or the session ended while the filter was written. */
  #listen(kept: KeptSubscription): void {
    if (kept.qos > 0 && kept.session.filters.get(kept.topic) === kept) {
      this.#receivers.add(kept.topic, kept)
    }
  }

  #forget(kept: KeptSubscription): void {
    const { filters } = kept.session
    if (filters.get(kept.topic) === kept) {
      filters.delete(kept.topic)
      this.#count(kept.session, -1)
    }
    this.#receivers.remove(kept.topic, kept)
  }

  #count({ owner, payers }: KeptSession, filters: number): void {
    this.#filters.add(accountOf(owner), filters)
    this.#parts.charges.charge('filters', payers, filters)
  }
}

const isSame = (one: Subscription, other: Subscription): boolean =>
  one.qos === other.qos && one.nl === other.nl && one.rap === other.rap && one.rh === other.rh
