import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { isTopicName, isWithinTopicLimits } from '../../lib/topic.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type { BrokerRules, Message, MessageHandler, Session } from '../bus.ts'
import type { Connection, Outcome, PendingAnswer } from './connection.ts'
import type { FanOut } from './fan-out.ts'
import type { KeptState, Receipt } from './kept.ts'
import type { Counts } from './limits.ts'
import type { Publish } from './publish.ts'
import { MAX_UNRELEASED } from './receipts.ts'
import type { KeptWill } from './store/changes.ts'
import type { TenantTurns } from './tenant-turns.ts'
import type { Ack } from './wire/encode.ts'
import type { PublishPacket, Will } from './wire/packets.ts'
import { withResponseTopic } from './wire/properties.ts'
import { BadPacket, type Reason, reasons } from './wire/reasons.ts'

/** A message that is being handled. */
type Taken<S extends Session> = {
  connection: Connection<S>
  packet: PublishPacket
  message: Publish
  pending: PendingAnswer
}

/** A message is queued for so many sessions in one step. */
const SESSIONS_PER_STEP = 10

/**
 * A message of a client goes to the handler and to the queues. Then it is acknowledged, and goes to
 * the subscribers.
 */
export class Inbound<S extends Session> {
  readonly #rules: BrokerRules<S>
  readonly #onMessage: MessageHandler
  readonly #log: Pick<Logger, 'error'>
  readonly #kept: KeptState
  readonly #counts: Counts
  readonly #turns: TenantTurns
  readonly #fanOut: FanOut<Connection<S>>
  readonly #clock: Clock
  /** The messages that were handled together last. */
  #handled: { promise: Promise<void>; messages: Taken<S>[] } | undefined

  constructor(options: {
    rules: BrokerRules<S>
    onMessage: MessageHandler
    log: Pick<Logger, 'error'>
    kept: KeptState
    counts: Counts
    turns: TenantTurns
    fanOut: FanOut<Connection<S>>
    clock: Clock
  }) {
    this.#rules = options.rules
    this.#onMessage = options.onMessage
    this.#log = options.log
    this.#kept = options.kept
    this.#counts = options.counts
    this.#turns = options.turns
    this.#fanOut = options.fanOut
    this.#clock = options.clock
  }

  /** `done` is called when the message is handled and the acknowledgement is written. */
  take(connection: Connection<S>, packet: PublishPacket, done: () => void): void {
    const { session, name, tenant, gate, acks, terms } = connection
    if (!session) throw new Error('no session')
    const message = this.#messageOf(connection, packet)
    const { topic, qos } = message
    const { id } = packet
    this.#countIn(connection, packet)
    const pending = connection.take((outcome) => {
      // The sender pays for the memory until the message is delivered.
      if (outcome === 'stored') this.#fanOut.send(message, tenant, () => gate.settled())
      else gate.settled()
      if (terms && qos === 1) terms.unacknowledged--
      if (qos === 0 || outcome === 'failed') done()
      else acks.add(ackOf(connection, message, { id, outcome }), done)
    })
    if (qos === 2 && this.#kept.receipts.receive(name, id) === 'repeated') {
      connection.settle(pending, 'repeated')
      return
    }
    if (!this.#mayPublish(session, topic)) {
      this.#counts.dropped.forbidden++
      this.#rules.refused(message, session)
      // [MQTT-4.3.3-9] After an error there is no PUBREL.
      if (terms && qos === 2) this.#kept.receipts.unreceive(name, id)
      connection.settle(pending, 'refused')
      return
    }
    const taken = { connection, packet, message, pending }
    const handled = this.#onMessage(message, session.owner)
    this.#slowDown(taken)
    this.#whenHandled(handled, taken)
  }

  /**
   * Most messages that come too fast are known at once, others after they have waited for the
   * registry, the disk or a mapping.
   */
  #slowDown({ connection, message }: Taken<S>): void {
    if (!message.isTooFast) return
    message.isTooFast = false
    connection.gate.slowDown()
  }

  /** Messages that are stored together have the same promise. One reaction for all is faster. */
  #whenHandled(handled: Promise<void>, taken: Taken<S>): void {
    if (this.#handled?.promise === handled) {
      this.#handled.messages.push(taken)
      return
    }
    const group = { promise: handled, messages: [taken] }
    this.#handled = group
    const end = () => {
      if (this.#handled === group) this.#handled = undefined
      return group.messages
    }
    handled.then(
      () => {
        for (const one of end()) this.#turns.take(one.connection.tenant, () => this.#keep(one))
      },
      (error) => {
        for (const one of end()) this.#fail(one, error)
      }
    )
  }

  /** After the handler, because a QoS 2 message with a receipt is not handled again. */
  #keep(taken: Taken<S>): number {
    const { connection, packet, message, pending } = taken
    this.#slowDown(taken)
    const stored = () => {
      connection.settle(pending, 'stored')
      return 1
    }
    const kept = this.#kept.keep(message, receiptOf(connection, packet))
    if (kept) {
      kept.then(
        () => this.#turns.take(connection.tenant, stored),
        (error) => this.#fail(taken, error)
      )
    } else stored()
    return 1 + Math.floor(this.#kept.lastReceivers / SESSIONS_PER_STEP)
  }

  /** Without an acknowledgement, so that the sender sends it again. */
  #fail({ connection, packet, message, pending }: Taken<S>, error: Error): void {
    this.#log.error({ err: error, topic: message.topic }, 'an MQTT message could not be handled')
    if (packet.qos === 2) this.#kept.receipts.unreceive(connection.name, packet.id)
    connection.fail(error)
    connection.settle(pending, 'failed')
  }

  /** Sends the will of a connection that was open when the last process ended. */
  async sendLeftWill({ name: _, sealed, ...kept }: KeptWill): Promise<void> {
    const session = await this.#rules.unseal(sealed)
    const { payload, properties } = kept
    const message = this.#willMessage({
      ...{ ...kept, payload: Buffer.from(payload) },
      properties: properties && Buffer.from(properties)
    })
    if (!this.#mayLeave(session, message)) return
    await this.#store(session, message)
    await this.#fanOut.sent(message, this.#rules.tenantOf(session))
  }

  /** Sends the will of a connection that was lost. */
  async sendWill({ session, name, tenant }: Connection<S>, will: Will): Promise<void> {
    if (this.#kept.wills.areWithheld) return
    const message: Publish = { ...this.#willMessage(will), sender: name }
    if (this.#mayLeave(session, message)) {
      await this.#store(session, message)
      await this.#fanOut.sent(message, tenant)
    }
    void this.#kept.wills.remove(name)
  }

  #messageOf(connection: Connection<S>, packet: PublishPacket): Publish {
    const { mount, terms, name } = connection
    const { qos, payload, retain, properties, expiry, alias } = packet
    const enter = (topic: string) => mount?.enter(topic) ?? topic
    const topic = terms ? terms.topicOf(packet.topic, alias, enter) : enter(packet.topic)
    // [MQTT-3.3.2-2]
    if (!isTopicName(topic)) throw new BadPacket(reasons.badTopic, 'malformed topic')
    const message: Publish = { topic, payload, qos, retain, sender: name }
    if (properties) {
      message.properties = mount ? withResponseTopic(properties, enter) : properties
    }
    if (expiry !== undefined) message.expires = this.#clock() + expiry * SECOND
    return message
  }

  /** [MQTT-3.3.4-7] A client that sends too many messages at once loses its connection. */
  #countIn({ name, terms }: Connection<S>, { qos, id }: PublishPacket): void {
    this.#counts.received++
    if (qos === 0) return
    const { receipts } = this.#kept
    if (terms && qos === 1) terms.unacknowledged++
    const waiting = receipts.count(name) + (terms?.unacknowledged ?? 0)
    const isMore = qos === 1 || !receipts.has(name, id)
    if (waiting + (qos === 2 ? 1 : 0) > MAX_UNRELEASED && isMore) {
      throw new BadPacket(reasons.receiveMaximum, 'too many messages at once')
    }
  }

  #willMessage({ topic, payload, qos, retain, properties, expiry }: Will): Publish {
    const message: Publish = { topic, payload, qos, retain, properties }
    if (expiry !== undefined) message.expires = this.#clock() + expiry * SECOND
    return message
  }

  #mayLeave(session: S | undefined, will: Message): session is S {
    if (session && this.#mayPublish(session, will.topic)) return true
    this.#counts.dropped.forbidden++
    if (session) this.#rules.refused(will, session)
    return false
  }

  async #store(session: S, will: Publish): Promise<void> {
    try {
      await this.#onMessage(will, session.owner)
      await this.#kept.keep(will)
    } catch (error) {
      this.#log.error({ err: error, topic: will.topic }, 'an MQTT will could not be handled')
      throw error
    }
  }

  #mayPublish(session: S, topic: string): boolean {
    return (
      !topic.startsWith('$') && isWithinTopicLimits(topic) && this.#rules.mayPublish(session, topic)
    )
  }
}

/** Refused: dropped, and the sender with MQTT 5 is told why. */
function ackOf(
  { terms }: Connection<Session>,
  { qos, notStored }: Publish,
  { id, outcome }: { id: number; outcome: Outcome }
): Ack {
  const ack: Ack = { type: qos === 1 ? 'puback' : 'pubrec', id }
  if (!terms) return ack
  if (outcome === 'refused') {
    ack.reason = reasonFor(notStored)
    ack.properties = terms.explanation(notStored ?? 'forbidden topic')
  } else if (notStored !== undefined) ack.properties = terms.explanation(notStored, false)
  return ack
}

/** [ADR-0066] Of a message that was dropped. */
function reasonFor(cause: string | undefined): Reason {
  if (cause?.startsWith('too ')) return reasons.quota
  return cause === 'topic too long' ? reasons.implementation : reasons.notAuthorized
}

function receiptOf({ kept }: Connection<Session>, { qos, id }: PublishPacket): Receipt | undefined {
  return qos === 2 && kept ? { key: kept.key, messageId: id } : undefined
}
