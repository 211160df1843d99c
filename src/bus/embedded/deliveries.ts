import type { Clock } from '../../lib/clock.ts'
import type { Mount } from '../../lib/mount.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type { BrokerRules, Session } from '../bus.ts'
import type { Connection } from './connection.ts'
import type { Delivery } from './fan-out.ts'
import type { Counts } from './limits.ts'
import type { Publish } from './publish.ts'
import type { Retained } from './retained.ts'
import type { QueuedPublish } from './session-feed.ts'
import type { Slices } from './slices.ts'
import { numberedHead, type PublishHead, publishHead } from './wire/encode.ts'
import type { Qos } from './wire/packets.ts'
import { withResponseTopic, writeProperties } from './wire/properties.ts'
import { BadPacket, reasons } from './wire/reasons.ts'

/** A receiver with more unsent bytes loses QoS 0 messages. */
const SLOW_BYTES = 1024 * 1024
/** A receiver with more unsent bytes loses its connection. */
const STUCK_BYTES = 8 * 1024 * 1024
/** Retained messages that are written before the broker waits for the receiver. */
const RETAINED_AT_ONCE = 16
const HEADS_PER_LEVEL = 6
const nothing = Buffer.alloc(0)

/** How one receiver gets a message. `id` is 0 at QoS 0. */
type Sending = {
  qos: Qos
  retain: boolean
  id: number
  ids: number[] | undefined
  isRepeated?: boolean
}
type Parts<S extends Session> = {
  rules: BrokerRules<S>
  retained: Retained
  slices: Slices
  counts: Counts
  clock: Clock
}

/** Every single message that a client gets, and the check that it may have it. */
export class Deliveries<S extends Session> {
  readonly #parts: Parts<S>

  constructor(parts: Parts<S>) {
    this.#parts = parts
  }

  /** A message that somebody has just published. */
  deliver(
    connection: Connection<S>,
    message: Publish & { seq: number },
    { qos: granted, rap, ids }: Delivery
  ): void {
    const { isClosed, kept } = connection
    if (isClosed) return
    const feed = kept?.feed
    if (!this.#mayReceive(connection, message.topic)) {
      feed?.refuse(message.seq)
      return
    }
    const retain = rap ? message.retain : false // [MQTT 3.3.1-9]
    const due = feed?.claim(message.seq)
    if (due) {
      const { qos, messageId: id } = due
      if (!this.#send(connection, message, { qos, retain, id, ids })) feed?.acknowledge(id)
      return
    }
    const qos = lower(granted, message.qos)
    if (qos === 0) this.#send(connection, message, { qos, retain, id: 0, ids })
    // [MQTT 4.6.0-6] For a kept session the message waits in the queue behind earlier ones, or was
    // already sent.
    else if (!kept) this.#sendNumbered(connection, message, { qos, retain, ids })
  }

  /** A message of the queue. False: the client does not get it. */
  deliverQueued(
    connection: Connection<S>,
    message: QueuedPublish,
    { id, isRepeated }: { id: number; isRepeated: boolean }
  ): boolean {
    if (!this.#mayReceive(connection, message.topic)) return false
    const { qos, retain, ids } = message
    return this.#send(connection, message, { qos, retain, id, ids, isRepeated })
  }

  /** Sends the retained messages for a SUBSCRIBE that was answered. */
  async sendRetained(connection: Connection<S>, asked: Iterable<string>): Promise<void> {
    const { retainedFor, filters } = connection
    for (const filter of asked) {
      const listening = filters.get(filter)
      if (listening) retainedFor.set(filter, listening)
    }
    // One walk at a time for each connection. Filters that come in the meantime wait for the next
    // walk.
    if (connection.isSendingRetained) return
    connection.isSendingRetained = true
    while (retainedFor.size > 0 && !connection.isClosed) {
      const next = Map.groupBy(retainedFor, ([, { id }]) => id)
      retainedFor.clear()
      for (const [id, asked] of next) await this.#sendRetained(connection, asked, id)
    }
    connection.isSendingRetained = false
  }

  async #sendRetained(
    connection: Connection<S>,
    asked: [filter: string, { qos: Qos }][],
    subscriptionId: number | undefined
  ): Promise<void> {
    const { retained, slices, clock } = this.#parts
    const { kept } = connection
    const ids = subscriptionId === undefined ? undefined : [subscriptionId]
    const filters = asked.map(([filter, { qos }]) => [filter, qos] as const)
    let sent = 0
    const pause = (steps: number) => slices.pause(steps, connection.tenant)
    for await (const { value: found, qos: granted } of retained.under(filters, pause)) {
      if (connection.isClosed) return
      if (isOver(found, clock())) {
        retained.forget(found)
        continue
      }
      // A copy, because what is written for its receivers must not stay in memory.
      const value = { ...found }
      if (!this.#mayReceive(connection, value.topic)) continue
      const qos = lower(granted, value.qos)
      const sending = { qos, retain: true, ids }
      if (qos === 0) this.#send(connection, value, { ...sending, id: 0 })
      else if (!kept?.feed) this.#sendNumbered(connection, value, sending)
      else {
        const id = await kept.feed.borrow()
        if (!this.#send(connection, value, { ...sending, id })) kept.feed?.acknowledge(id)
      }
      if (++sent % RETAINED_AT_ONCE === 0) await connection.drained()
    }
  }

  #mayReceive({ session }: Connection<S>, topic: string): boolean {
    return session !== undefined && this.#parts.rules.mayReceive(session, topic)
  }

  /** At QoS 1 or 2, to a client whose session is not kept. */
  #sendNumbered(connection: Connection<S>, message: Publish, sending: Omit<Sending, 'id'>): void {
    const { window } = connection
    if (!window) {
      this.#send(connection, message, { ...sending, id: connection.nextId() })
      return
    }
    const isTaken = window.send(message.payload.length, (id) => {
      const isSent = !connection.isClosed && this.#send(connection, message, { ...sending, id })
      if (!isSent) window.acknowledge(id)
    })
    if (!isTaken) connection.fail(new BadPacket(reasons.quota, 'too many messages wait'))
  }

  /** False: the client does not get the message. */
  #send(connection: Connection<S>, message: Publish, sending: Sending): boolean {
    const { counts, clock } = this.#parts
    const { conn, terms } = connection
    const { qos, id, isRepeated = false } = sending
    if (qos === 0 && conn.writableLength > SLOW_BYTES) {
      counts.dropped.slow++
      return false
    }
    // A kept session has the message in its queue, and its client gets it when it connects again.
    if (conn.writableLength > STUCK_BYTES) {
      connection.fail(new Error('the receiver does not read'))
      return true
    }
    const { expires } = message
    // [MQTT-3.3.2-5], [MQTT-4.3.3-7]
    if (!isRepeated && isOver(message, clock())) return false
    const left =
      expires === undefined ? undefined : Math.max(0, Math.ceil((expires - clock()) / SECOND))
    const head = headFor(connection, message, sending, left)
    // [MQTT-3.1.2-24], [MQTT-3.1.2-25]
    if (terms && head.packetBytes > terms.maximumPacketSize) {
      counts.dropped['too large']++
      return false
    }
    counts.delivered++
    connection.write(qos === 0 ? head.bytes : numberedHead(head, id, isRepeated))
    if (message.payload.length > 0) connection.write(message.payload)
    return true
  }
}

const isOver = ({ expires }: Publish, now: number): boolean =>
  expires !== undefined && expires <= now

const lower = (one: Qos, other: Qos): Qos => (one < other ? one : other)

/** Written once for all receivers, except those with something of their own in it. */
function headFor(
  { mount, terms, level }: Connection<Session>,
  message: Publish,
  { qos, retain, ids }: Sending,
  left: number | undefined
): PublishHead {
  const topic = mount?.leave(message.topic) ?? message.topic
  const payloadBytes = message.payload.length
  const passed = message.properties ?? nothing
  const common = { qos, retain, payloadBytes }
  if (!mount && !terms?.hasAliases && !ids && left === undefined) {
    const kind = (level === 5 ? HEADS_PER_LEVEL : 0) + qos * 2 + Number(retain)
    message.heads ??= []
    message.heads[kind] ??= publishHead({
      ...{ ...common, topic },
      properties: level === 5 ? passed : undefined
    })
    return message.heads[kind]
  }
  if (!terms) return publishHead({ ...common, topic, properties: undefined })
  const own = [
    mount ? withResponseTopic(passed, (topic) => outOf(mount, topic)) : passed,
    writeProperties({ messageExpiry: left }),
    ...(ids ?? []).map((subscriptionId) => writeProperties({ subscriptionId }))
  ]
  const alias = terms.aliasFor(topic, payloadBytes)
  if (!alias) return publishHead({ ...common, topic, properties: Buffer.concat(own) })
  return publishHead({
    ...{ ...common, topic: alias.isNew ? topic : '' },
    properties: Buffer.concat([...own, writeProperties({ topicAlias: alias.alias })])
  })
}

/** A response topic outside of the mount stays as it is; the client cannot use it. */
const outOf = (mount: Mount, topic: string): string =>
  mount.has(topic) ? mount.leave(topic) : topic
