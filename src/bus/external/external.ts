import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { everyBrokerTakes } from '../../lib/topic.ts'
import {
  type Bus,
  type Hearer,
  type MessageHandler,
  ownClientIds,
  type PublishOptions
} from '../bus.ts'
import { type BrokerAddress, brokerAddress, Link } from './link.ts'
import { Marks } from './marks.ts'
import { Publisher } from './publisher.ts'
import { Slot, type SlotOptions } from './slot.ts'
import { type SlotClaims, Slots } from './slots.ts'

export type ExternalBusOptions = {
  url: string
  /** Certificate of the authority for mqtts; undefined: the authorities that the system trusts. */
  ca?: string | undefined
  /** All nodes of a platform have the same id. Each platform has its own. */
  platformId: string
  /**
   * The number of sessions that share the messages. With one session the messages keep their order.
   */
  slots: number
  claims: SlotClaims
  onMessage: MessageHandler
  /** How long the broker keeps messages that nobody reads. */
  sessionDays: number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}
export type ExternalCounts = {
  connections: number
  received: number
  published: number
  slots: number
}

/** Long enough for a broker that starts at the same time. */
const START_LIMIT_MS = 10_000
/** Longer than the pause between two attempts to connect. */
const COME_BACK_MS = 2000
const CUT_OFF_LIMIT_MS = 5000
const ALL_VALUES_FILTER = '+/obj/#'
const DAY_SECONDS = 86_400
const MAX_EXPIRY_SECONDS = 0xff_ff_ff_fe

/** An external broker, which any number of nodes share. Nothing happens before `start`. */
export class ExternalBus implements Bus {
  readonly address: BrokerAddress
  readonly #options: ExternalBusOptions
  readonly #publisher: Publisher
  readonly #slots: Slots
  readonly #marks: Marks
  #received = 0
  #published = 0
  #wasWell = true
  #isStarted = false
  #levels: readonly string[] = []
  #shortest: number | undefined

  constructor(options: ExternalBusOptions) {
    const { url, ca, slots: count, claims, log } = options
    this.#options = options
    this.address = brokerAddress(url, ca)
    this.#marks = new Marks(options.platformId, this.address.password)
    this.#publisher = new Publisher({
      address: this.address,
      clientId: `${this.#prefix}-node-${randomBytes(4).toString('hex')}`,
      log,
      onChange: () => this.#report()
    })
    this.#slots = new Slots({
      ...{ count, claims, log },
      open: (number) => new Slot(this.#slotOptions(number)),
      finish: (number, signal) => Slot.finish(this.#slotOptions(number), signal)
    })
  }

  get counts(): Readonly<ExternalCounts> {
    const slots = [...this.#slots.held]
    const connections = slots.filter(({ isUp }) => isUp).length + (this.#publisher.isUp ? 1 : 0)
    const { size } = this.#slots
    return { connections, received: this.#received, published: this.#published, slots: size }
  }

  get ownTopics(): string {
    return `$caracal/${this.#options.platformId}`
  }

  /** Why messages do not get through; undefined if all is well. */
  get failure(): Error | undefined {
    if (!this.#isStarted) return new Error('not started')
    return [this.#publisher, ...this.#slots.held].find(({ failure }) => failure)?.failure
  }

  /**
   * Whether somebody reads the messages of the platform; one session is enough. A node without
   * sessions only knows that the broker is there. It gives the other nodes time to connect again.
   */
  get isRead(): boolean {
    const slots = [...this.#slots.held]
    if (slots.length > 0) return slots.some(({ isUp }) => isUp)
    return this.#isStarted && this.#publisher.isUpFor(COME_BACK_MS)
  }

  /** Connects and begins to read; rejects if the broker cannot be reached or refuses us. */
  async start(limitMs = START_LIMIT_MS): Promise<void> {
    await this.#publisher.start(limitMs)
    await this.#slots.start()
    this.#isStarted = true
  }

  async publish(
    topic: string,
    payload: string,
    { qos = 0, retain = false, isStored = false, ...more }: PublishOptions = {}
  ): Promise<void> {
    // If the broker hung up, the messages of all tenants would have to wait.
    if (!everyBrokerTakes(topic)) throw new Error(`not a topic to publish to: ${topic}`)
    const message = { topic, payload: Buffer.from(payload), qos, retain }
    const { contentType, responseTopic, correlationData, expirySeconds } = more
    const properties = {
      ...(isStored && this.#marks.propertiesFor(topic, message.payload)),
      ...(contentType !== undefined && { contentType }),
      ...(responseTopic !== undefined && { responseTopic }),
      ...(correlationData && { correlationData }),
      ...(expirySeconds !== undefined && { messageExpiryInterval: expirySeconds })
    }
    await this.#publisher.publish(message, properties)
    this.#published++
  }

  hear(topic: string, hearer: Hearer): Promise<() => void> {
    if (!everyBrokerTakes(topic)) return Promise.reject(new Error(`not a topic: ${topic}`))
    return this.#publisher.hear(topic, hearer)
  }

  /**
   * Every node hears everything that others publish there. `onReady` is called after each
   * subscription, because messages from a time without a connection are lost.
   */
  listen(
    filter: string,
    handler: (topic: string, payload: Buffer) => void,
    onReady: () => void = () => {}
  ): void {
    this.#publisher.listen({ filter, handler, onReady })
  }

  /**
   * Reads messages below these levels after the client id, in addition to values. They must not be
   * `obj`.
   */
  readAlso(levels: readonly string[]): void {
    // A broker that hangs up because of one filter would send no values of any tenant.
    this.#levels = levels.filter(everyBrokerTakes)
    for (const slot of this.#slots.held) slot.readAlso()
  }

  /** True on one of the nodes that read. */
  get isFirst(): boolean {
    return this.#slots.holds(0)
  }

  /**
   * [MQTT5 3.1.4-3] A new connection with a client id ends the old connection. What the broker
   * keeps for the client stays, unless `endsSession` is true.
   */
  async cutOff(clientId: string, { endsSession = false } = {}): Promise<void> {
    const link = await Link.open({
      address: this.address,
      clientId,
      expirySeconds: this.#expirySeconds,
      receiveMaximum: 1,
      // Messages are not acknowledged, so they stay at the broker.
      onPublish: () => {},
      signal: AbortSignal.timeout(CUT_OFF_LIMIT_MS)
    })
    await link.end({ endsSession: endsSession || !link.isResumed })
  }

  /**
   * Stores and acknowledges what was read, for a limited time, and leaves the sessions to other
   * nodes.
   */
  stopReading(): Promise<void> {
    return this.#slots.stop()
  }

  async close(): Promise<void> {
    await this.stopReading()
    await this.#publisher.stop()
  }

  get #prefix(): string {
    return ownClientIds + this.#options.platformId
  }

  get #expirySeconds(): number {
    return Math.min(this.#options.sessionDays * DAY_SECONDS, MAX_EXPIRY_SECONDS)
  }

  #slotOptions(number: number): SlotOptions {
    const { onMessage, slots, log } = this.#options
    // Each platform has its own group, so that two platforms on one broker do not take messages
    // from each other. One session needs only an ordinary subscription, which no broker forgets at
    // a restart.
    const group = `$share/${this.#prefix}/`
    const filters = { alone: ALL_VALUES_FILTER, shared: group + ALL_VALUES_FILTER }
    return {
      address: this.address,
      clientId: `${this.#prefix}-slot-${number}`,
      expirySeconds: this.#expirySeconds,
      filter: slots === 1 ? filters.alone : filters.shared,
      formerFilter: slots === 1 ? filters.shared : filters.alone,
      alsoFilters: () => this.#levels.map((level) => `${slots === 1 ? '' : group}+/${level}/#`),
      onMessage,
      isStored: (packet) => this.#marks.isMarked(packet),
      onReceived: () => this.#received++,
      onChange: () => this.#report(),
      onShort: (seconds) => this.#reportShort(seconds),
      onRefused: (err, filter) =>
        log.error({ err, filter }, 'the MQTT broker lets no messages for mappings through')
    }
  }

  /** Once for each time that the broker names. */
  #reportShort(seconds: number): void {
    if (this.#shortest === seconds) return
    this.#shortest = seconds
    this.#options.log.warn(
      { seconds, wanted: this.#expirySeconds },
      'the MQTT broker keeps messages that nobody reads for a shorter time than CARACAL_MQTT_SESSION_DAYS'
    )
  }

  /** Logs one line when the connection breaks, and one when all is well again. */
  #report(): void {
    const { failure } = this
    const isWell = failure === undefined
    if (!this.#isStarted || isWell === this.#wasWell) return
    this.#wasWell = isWell
    const { log } = this.#options
    const broker = `${this.address.host}:${this.address.port}`
    if (isWell) log.info({ broker }, 'the MQTT broker is back')
    else
      log.warn({ broker, err: failure }, 'the MQTT broker cannot be reached; messages wait there')
  }
}
