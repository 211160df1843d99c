import type { Mount } from '../../lib/mount.ts'
import { Tally } from '../../lib/tally.ts'
import { isTopicFilter, isWithinTopicLimits, unshared } from '../../lib/topic.ts'
import type { BrokerRules, Session } from '../bus.ts'
import type { BrokerCharges } from './charges.ts'
import type { Connection } from './connection.ts'
import type { Deliveries } from './deliveries.ts'
import type { Excesses } from './excesses.ts'
import type { FanOut, Listening } from './fan-out.ts'
import type { KeptState } from './kept.ts'
import type { BrokerLimits } from './limits.ts'
import type { Sessions } from './sessions.ts'
import { isShared, type Place } from './shares.ts'
import type { Slices } from './slices.ts'
import { suback, unsuback } from './wire/encode.ts'
import type { SubscribePacket, Subscription, UnsubscribePacket } from './wire/packets.ts'
import { protocolError, type Reason, reasons } from './wire/reasons.ts'

type Parts<S extends Session> = {
  rules: BrokerRules<S>
  sessions: Sessions
  fanOut: FanOut<Connection<S>>
  shares: KeptState['shares']
  deliveries: Deliveries<S>
  slices: Slices
  limits: BrokerLimits
  excesses: Excesses
  charges: BrokerCharges
}

/** SUBSCRIBE and UNSUBSCRIBE, and the filters of all connections. */
export class Subscriptions<S extends Session> {
  readonly #parts: Parts<S>
  /** Filters of connections whose sessions are not kept, by account. */
  readonly #filters = new Tally()

  constructor(parts: Parts<S>) {
    this.#parts = parts
  }

  async subscribe(
    connection: Connection<S>,
    { id, subscriptions }: SubscribePacket
  ): Promise<void> {
    const { limits, deliveries, excesses } = this.#parts
    const { mount, kept } = connection
    const beyond = subscriptions.length - limits.filtersPerSubscribe
    if (beyond > 0) excesses.refuse('filters', connection, { count: beyond })
    const wanted: string[] = []
    // [MQTT-3.8.4-6] An answer for each filter, in their order.
    const codes = subscriptions.map(({ filter: asked, ...options }, i) => {
      const filter = entered(asked, mount)
      // [MQTT-3.8.3-4]
      if (isShared(filter) && options.nl) throw protocolError('no local in a shared subscription')
      if (i >= limits.filtersPerSubscribe) return reasons.quota
      if (!isWithinTopicLimits(filter)) return reasons.badFilter
      const isOld = this.#has(connection, filter)
      const refusal = this.#add(connection, { filter, ...options })
      if (refusal !== undefined) return refusal
      // [MQTT-3.3.1-10], [MQTT-3.3.1-11]
      const rh = isShared(filter) ? 2 : (options.rh ?? 0) // [MQTT5 4.8.2]
      if (rh === 0 || (rh === 1 && !isOld)) wanted.push(filter)
      return options.qos
    })
    if (kept) await kept.written
    if (connection.isClosed) return
    const { level } = connection
    connection.answer(suback(id, level === 5 ? codes : codes.map(asCodeOf3), level))
    void deliveries.sendRetained(connection, wanted)
  }

  /** The filters of a kept session whose client connects again. */
  async restore(connection: Connection<S>): Promise<void> {
    const { kept } = connection
    if (!kept) return
    for (const { session: _, ...subscription } of [...kept.filters.values()]) {
      this.#add(connection, subscription)
    }
    await kept.written
  }

  async unsubscribe(connection: Connection<S>, { id, filters }: UnsubscribePacket): Promise<void> {
    const { sessions } = this.#parts
    const { mount, kept } = connection
    const known = new Set<string>()
    // [MQTT-3.10.4-6] A filter that is there twice is gone the second time.
    const codes = filters.map((asked) => {
      const filter = entered(asked, mount)
      if (known.has(filter) || !this.#has(connection, filter)) return reasons.noSubscription
      known.add(filter)
      return reasons.success
    })
    for (const filter of known) this.#forget(connection, filter)
    if (kept) {
      sessions.unsubscribe(kept, [...known])
      await kept.written
    }
    if (!connection.isClosed) connection.answer(unsuback(id, codes, connection.level))
  }

  /** The connection has ended. */
  leave(connection: Connection<S>): void {
    for (const filter of connection.filters.keys()) this.#forget(connection, filter)
  }

  /** Removes the filters that the session, which was just renewed, may no longer have. */
  async dropLost(connection: Connection<S>): Promise<void> {
    const lost: string[] = []
    for (const filter of connection.filters.keys()) {
      if (!this.#maySubscribe(connection, filter)) lost.push(filter)
      const pause = this.#parts.slices.pause(1, connection.tenant)
      if (pause) await pause
    }
    this.#drop(connection, lost)
  }

  /** Why the filter is refused; undefined if it is granted. */
  #add(connection: Connection<S>, subscription: Subscription): Reason | undefined {
    const { sessions, charges, excesses } = this.#parts
    const { filter } = subscription
    const { kept } = connection
    if (!this.#maySubscribe(connection, filter)) {
      this.#drop(connection, [filter])
      return isTopicFilter(unshared(filter) ?? '') ? reasons.notAuthorized : reasons.badFilter
    }
    if (!this.#has(connection, filter)) {
      const payer = charges.whoIsFull('filters', connection.payers)
      if (payer || !this.#hasRoom(connection)) {
        excesses.refuse('filters', connection, { payer })
        return reasons.quota
      }
    }
    if (!kept) {
      this.#listen(connection, subscription)
      return undefined
    }
    sessions.subscribe(kept, subscription)
    // The filter must be on disk first.
    kept.written.then(
      () => this.#listen(connection, subscription),
      () => {}
    )
    return undefined
  }

  #has({ filters, kept }: Connection<S>, filter: string): boolean {
    // The filter of a kept session may not be on disk yet.
    return filters.has(filter) || kept?.filters.has(filter) === true
  }

  #listen(connection: Connection<S>, { filter, qos, nl, rap, id }: Subscription): void {
    const { fanOut, shares } = this.#parts
    const { filters, kept, isClosed } = connection
    // The client may have unsubscribed while the filter was written.
    if (isClosed || (kept && !kept.filters.has(filter))) return
    const before = filters.get(filter)
    if (!before) this.#count(connection, 1)
    else if (!isShared(filter)) fanOut.forget(filter, before)
    const listening: Listening<Connection<S>> = { receiver: connection, qos, nl, rap, id }
    filters.set(filter, listening)
    if (isShared(filter)) shares.connect(placeOf(connection, filter), listening)
    else fanOut.listen(filter, listening)
  }

  #forget(connection: Connection<S>, filter: string): void {
    const { filters, retainedFor } = connection
    const listening = filters.get(filter)
    if (!listening) return
    const { fanOut, shares } = this.#parts
    if (isShared(filter)) shares.connect(placeOf(connection, filter), undefined)
    else fanOut.forget(filter, listening)
    retainedFor.delete(filter)
    this.#count(connection, -1)
    filters.delete(filter)
  }

  /** `Sessions` counts the filters of kept sessions. */
  #count({ kept, account, payers }: Connection<S>, filters: number): void {
    if (kept) return
    this.#filters.add(account, filters)
    this.#parts.charges.charge('filters', payers, filters)
  }

  #maySubscribe({ session, level }: Connection<S>, filter: string): boolean {
    // MQTT 3 has no shared subscriptions.
    const inner = level === 5 ? unshared(filter) : filter
    // The broker does not serve $SYS.
    if (!session || !inner || inner.startsWith('$') || !isTopicFilter(inner)) return false
    return this.#parts.rules.maySubscribe(session, inner)
  }

  #hasRoom({ filters, kept, account }: Connection<S>): boolean {
    const { sessions, limits } = this.#parts
    const ofOwner = this.#filters.of(account) + sessions.filtersOf(account)
    const ofConnection = Math.max(filters.size, kept?.filters.size ?? 0)
    return ofConnection < limits.filtersPerConnection && ofOwner < limits.filtersPerOwner
  }

  #drop(connection: Connection<S>, lost: string[]): void {
    for (const filter of lost) this.#forget(connection, filter)
    if (connection.kept) this.#parts.sessions.unsubscribe(connection.kept, lost)
  }
}

/** A filter below the mount of its client. In a shared one the mount is behind the group. */
function entered(filter: string, mount: Mount | undefined): string {
  const inner = isShared(filter) ? unshared(filter) : undefined
  if (!mount || inner === undefined) return mount?.enter(filter) ?? filter
  return filter.slice(0, filter.length - inner.length) + mount.enter(inner)
}

const placeOf = ({ account, name }: Connection<Session>, filter: string): Place => ({
  ...{ account, filter, name }
})

/** [MQTT 3.9.3] MQTT 3 has one code for every refusal. */
const asCodeOf3 = (code: number): number => (code > 2 ? 128 : code)
