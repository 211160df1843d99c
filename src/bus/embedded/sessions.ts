import type { Clock } from '../../lib/clock.ts'
import { accountOf } from '../../lib/owner.ts'
import { Tally } from '../../lib/tally.ts'
import { TopicTree } from '../../lib/topic-tree.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type { BrokerCharges } from './charges.ts'
import { clientIdIn, nameOf } from './client-name.ts'
import { type Publish, pushed } from './publish.ts'
import type { Receipts } from './receipts.ts'
import { type FeedLine, SessionFeed } from './session-feed.ts'
import { isShared, type Place } from './shares.ts'
import type { Change, Contents } from './store/changes.ts'
import { bytesOf, type Store } from './store/store.ts'
import type { Subscription } from './wire/packets.ts'

/** A timer cannot be longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export type KeptSubscription = Subscription & {
  session: KeptSession
  /** What the same filter was before. It counts until this is on disk. [MQTT-3.8.4-4] */
  before?: KeptSubscription | undefined
}
/** How a session gets a message, by all of its filters that match. */
type Receiving = Pick<KeptSubscription, 'session' | 'qos' | 'rap'> & { ids: number[] | undefined }
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
  /** After how many seconds without a client it ends; undefined: it has no end of its own. */
  expiresAfter: number | undefined
  /** Ends it. */
  timer: NodeJS.Timeout | undefined
  /** Set while its client is connected. */
  feed: SessionFeed | undefined
  /** True if no earlier connection has used it. */
  isNew: boolean
  /** Resolves when its filters are on disk. */
  written: Promise<void>
}
type Numbered = Publish & { seq: number }
type Parts = {
  store: Store
  receipts: Receipts
  clock: Clock
  maxPerOwner: number
  charges: BrokerCharges
  shares: { keep(place: Place, kept: KeptSubscription | undefined): void }
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
    for (const { key, clientId, owner, used, expiresAfter } of sessions) {
      const name = nameOf(owner, clientId)
      const session = this.#begin({ key, name, owner, used, expiresAfter, isNew: false })
      byKey.set(key, session)
      this.#watch(session)
    }
    for (const { key, filter, ...options } of filters) {
      const session = byKey.get(key)
      if (session) this.#listen(this.#add(session, { filter, ...options }))
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

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  /** How long the session lasts if its client does not come back; 0 if there is none. */
  secondsLeft(name: string): number {
    const session = this.#find(name)
    if (!session) return 0
    const { used, expiresAfter } = session
    if (expiresAfter === undefined) return Number.POSITIVE_INFINITY
    return (used - this.#parts.clock()) / SECOND + expiresAfter
  }

  /** The session of a client that connects, old or new; undefined if its owner has too many. */
  async open(
    line: FeedLine,
    {
      receiveMaximum,
      ...asked
    }: Pick<KeptSession, 'name' | 'owner' | 'payers' | 'expiresAfter'> & { receiveMaximum: number }
  ): Promise<KeptSession | undefined> {
    const { name, owner, payers, expiresAfter } = asked
    const { charges, store, receipts, clock, maxPerOwner } = this.#parts
    let session = this.#find(name)
    if (session) {
      session.isNew = false
      session.expiresAfter = expiresAfter
      clearTimeout(session.timer)
      void store.write({ kind: 'awake', key: session.key, expiresAfter })
    } else {
      if (this.#perAccount.of(accountOf(owner)) >= maxPerOwner) return undefined
      const begun = { key: ++this.#lastKey, owner, expiresAfter }
      session = this.#begin({ ...begun, name, used: clock(), isNew: true })
      const clientId = clientIdIn(name)
      void store.write({ kind: 'session', ...begun, clientId, at: session.used })
    }
    charges.charge('filters', session.payers, -session.filters.size)
    session.payers = payers
    charges.charge('filters', payers, session.filters.size)
    const { key } = session
    const { sent, received } = await store.read('resume', { key })
    if (line.isClosed) return session
    session.feed = new SessionFeed(line, { key, store, sent, receiveMaximum })
    receipts.restore(name, received)
    return session
  }

  /** The client has disconnected. Its session stays. */
  rest(session: KeptSession): void {
    const { store, receipts, clock } = this.#parts
    session.feed?.end()
    session.feed = undefined
    session.used = clock()
    receipts.forget(session.name)
    const { key, used: at, expiresAfter } = session
    void store.write({ kind: 'asleep', key, at, expiresAfter })
    this.#watch(session)
  }

  /** [MQTT 3.1.2-6] A client that connects clean ends the session it had. */
  end(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    if (!session) return Promise.resolve()
    for (const kept of session.filters.values()) this.#forget(kept)
    clearTimeout(session.timer)
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
    const before = session.filters.get(subscription.filter)
    if (before && isSame(before, subscription)) return
    const kept = this.#add(session, subscription)
    kept.before = before?.before ?? before
    const { key } = session
    session.written = this.#parts.store.write({ kind: 'subscribe', key, ...subscription })
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

  /** The sessions that must get the message at QoS 1 or 2, and how. */
  receiversOf({ topic, qos, sender, chosen }: Publish): Receiving[] {
    if (qos === 0) return []
    const found = this.#receivers.match(topic)
    if (chosen) found.push(...(chosen.kept as KeptSubscription[]))
    if (found.length === 0) return []
    const all = new Map<KeptSession, Receiving>()
    for (const { session, qos: granted, nl, rap, id } of found) {
      // [MQTT-3.8.3-3]
      if (nl && sender === session.name) continue
      const other = all.get(session)
      if (!other) all.set(session, { session, qos: granted, rap, ids: pushed(undefined, id) })
      else {
        if (other.qos < granted) other.qos = granted
        other.rap ||= rap
        other.ids = pushed(other.ids, id)
      }
    }
    return [...all.values()]
  }

  /** The change that queues the message. A client that can get it at once gets a packet id here. */
  enqueue(message: Numbered, receivers: Receiving[]): Change {
    const { topic, seq, properties, expires } = message
    const payload = bytesOf(message.payload)
    const feeds: SessionFeed[] = []
    message.feeds = feeds
    return {
      kind: 'message',
      seq,
      topic,
      payload,
      ...(properties && { properties: bytesOf(properties) }),
      ...(expires !== undefined && { expires }),
      receivers: receivers.map(({ session, rap, qos: granted, ids }) => {
        const qos = granted < message.qos ? granted : message.qos // [MQTT 3.8.4-6]
        const retain = rap ? message.retain : false // [MQTT 3.3.1-9]
        const messageId = session.feed?.reserve(seq, qos, payload.length)
        if (session.feed && messageId !== undefined) feeds.push(session.feed)
        return { key: session.key, qos, retain, messageId, ids }
      })
    }
  }

  /** The message could not be written. */
  unqueue({ seq }: Numbered, receivers: Receiving[]): void {
    for (const { session } of receivers) session.feed?.forget(seq)
  }

  /** Ends a session whose own time is over. */
  #find(name: string): KeptSession | undefined {
    const session = this.#sessions.get(name)
    if (!session || !this.#isOver(session)) return session
    void this.end(name)
    return undefined
  }

  /** Whether its own time is over. [MQTT-3.1.2-23] */
  #isOver({ feed, used, expiresAfter }: KeptSession): boolean {
    if (feed || expiresAfter === undefined) return false
    return used + expiresAfter * SECOND <= this.#parts.clock()
  }

  /** Ends the session when its own time is over. */
  #watch(session: KeptSession): void {
    const { expiresAfter, used, name } = session
    if (expiresAfter === undefined) return
    const left = used + expiresAfter * SECOND - this.#parts.clock()
    session.timer = setTimeout(
      () => {
        if (this.#sessions.get(name) !== session || session.feed) return
        if (this.#isOver(session)) void this.end(name)
        else this.#watch(session)
      },
      Math.min(Math.max(left, 0), LONGEST_TIMER_MS)
    ).unref()
  }

  #begin(
    begun: Pick<KeptSession, 'key' | 'name' | 'owner' | 'used' | 'isNew' | 'expiresAfter'>
  ): KeptSession {
    const session = {
      ...begun,
      filters: new Map(),
      payers: [],
      timer: undefined,
      feed: undefined,
      written: Promise.resolve()
    }
    this.#sessions.set(begun.name, session)
    this.#perAccount.add(accountOf(begun.owner), 1)
    return session
  }

  #add(session: KeptSession, subscription: Subscription): KeptSubscription {
    const kept: KeptSubscription = { ...subscription, session }
    if (!session.filters.has(kept.filter)) this.#count(session, 1)
    session.filters.set(kept.filter, kept)
    return kept
  }

  /** Does nothing if the filter was removed or replaced while it was written. */
  #listen(kept: KeptSubscription): void {
    if (kept.session.filters.get(kept.filter) !== kept) return
    if (kept.before) this.#detach(kept.before)
    kept.before = undefined
    if (kept.qos === 0) return
    if (isShared(kept.filter)) this.#parts.shares.keep(placeOf(kept), kept)
    else this.#receivers.add(kept.filter, kept)
  }

  #forget(kept: KeptSubscription): void {
    const { filters } = kept.session
    if (filters.get(kept.filter) === kept) {
      filters.delete(kept.filter)
      this.#count(kept.session, -1)
    }
    this.#detach(kept)
    if (kept.before) this.#detach(kept.before)
  }

  #detach(kept: KeptSubscription): void {
    if (isShared(kept.filter)) this.#parts.shares.keep(placeOf(kept), undefined)
    else this.#receivers.remove(kept.filter, kept)
  }

  #count({ owner, payers }: KeptSession, filters: number): void {
    this.#filters.add(accountOf(owner), filters)
    this.#parts.charges.charge('filters', payers, filters)
  }
}

const placeOf = ({ filter, session }: KeptSubscription): Place => ({
  filter,
  account: accountOf(session.owner),
  name: session.name
})

const isSame = (one: Subscription, other: Subscription): boolean =>
  (['qos', 'nl', 'rap', 'rh', 'id'] as const).every((name) => one[name] === other[name])
