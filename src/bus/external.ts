import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { hasWildcard } from '../lib/topic.ts'
import { type Bus, type MessageHandler, ownClientIds } from './bus.ts'
import { type BrokerAddress, brokerAddress, Link } from './link.ts'
import { Outlet } from './outlet.ts'
import { Slot, type SlotOptions } from './slot.ts'
import { type SlotClaims, Slots } from './slots.ts'

export type ExternalBusOptions = {
  url: string
  /** Certificate of the authority behind mqtts; undefined: those that the system trusts. */
  ca?: string | undefined
  /** The same for all nodes of a platform, and another one for another platform. */
  platformId: string
  /** Sessions that the broker deals messages to: with one their order holds. */
  slots: number
  claims: SlotClaims
  onMessage: MessageHandler
  /** How long the broker keeps what nobody reads. */
  sessionDays: number
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}
export type ExternalCounts = {
  connections: number
  received: number
  published: number
  slots: number
}

/** Long enough for a broker that starts beside us. */
const START_LIMIT = 10_000
/** Longer than the pause between two tries. */
const COME_BACK = 2000
const CUT_LIMIT = 5000
const ALL_VALUES = '+/obj/#'
const DAY_SECONDS = 86_400
const LONGEST_EXPIRY = 0xff_ff_ff_fe

/** A broker of its own, which any number of nodes share. Nothing happens before `start`. */
export class ExternalBus implements Bus {
  readonly address: BrokerAddress
  readonly #options: ExternalBusOptions
  readonly #outlet: Outlet
  readonly #slots: Slots
  #received = 0
  #published = 0
  #wasWell = true
  #isStarted = false

  constructor(options: ExternalBusOptions) {
    const { url, ca, slots: count, claims, log } = options
    this.#options = options
    this.address = brokerAddress(url, ca)
    this.#outlet = new Outlet({
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
    const connections = slots.filter(({ isUp }) => isUp).length + (this.#outlet.isUp ? 1 : 0)
    const { size } = this.#slots
    return { connections, received: this.#received, published: this.#published, slots: size }
  }

  get ownTopics(): string {
    return `$caracal/${this.#options.platformId}`
  }

  /** Why messages do not get through; undefined when all is well. */
  get failure(): Error | undefined {
    if (!this.#isStarted) return new Error('not started')
    return [this.#outlet, ...this.#slots.held].find(({ failure }) => failure)?.failure
  }

  /**
   * One member of the group is enough. A node without sessions knows only that the broker is there,
   * and gives those that have some the time to come back.
   */
  get isRead(): boolean {
    const slots = [...this.#slots.held]
    if (slots.length > 0) return slots.some(({ isUp }) => isUp)
    return this.#isStarted && this.#outlet.isUpFor(COME_BACK)
  }

  /** Connects and begins to read; rejects when the broker cannot be reached or refuses us. */
  async start(limitMs = START_LIMIT): Promise<void> {
    await this.#outlet.start(limitMs)
    await this.#slots.start()
    this.#isStarted = true
  }

  async publish(
    topic: string,
    payload: string,
    { qos = 0, retain = false }: { qos?: 0 | 1 | 2; retain?: boolean } = {}
  ): Promise<void> {
    if (topic === '' || hasWildcard(topic)) {
      throw new Error(`not a topic to publish to: ${topic}`)
    }
    await this.#outlet.publish({ topic, payload: Buffer.from(payload), qos, retain })
    this.#published++
  }

  /**
   * Everything that others publish there, to every node. `onReady` after each subscription: what
   * was published while there was no connection is gone.
   */
  listen(
    filter: string,
    handler: (topic: string, payload: Buffer) => void,
    onReady: () => void = () => {}
  ): void {
    this.#outlet.listen({ filter, handler, onReady })
  }

  /** One node among all that read. */
  get isFirst(): boolean {
    return this.#slots.holds(0)
  }

  /**
   * [MQTT5 3.1.4-3] Who connects with a client id ends the connection that has it. What the broker
   * keeps for the client stays, for when it comes back, unless it is to end.
   */
  async cutOff(clientId: string, { endsSession = false } = {}): Promise<void> {
    const link = await Link.open({
      address: this.address,
      clientId,
      expirySeconds: this.#expirySeconds,
      receiveMaximum: 1,
      // Not acknowledged, so it stays.
      onPublish: () => {},
      signal: AbortSignal.timeout(CUT_LIMIT)
    })
    await link.end({ endsSession: endsSession || !link.isResumed })
  }

  /** What was read is stored and acknowledged first, for a bounded time; sessions stay. */
  async close(): Promise<void> {
    await this.#slots.stop()
    await this.#outlet.stop()
  }

  get #prefix(): string {
    return ownClientIds + this.#options.platformId
  }

  get #expirySeconds(): number {
    return Math.min(this.#options.sessionDays * DAY_SECONDS, LONGEST_EXPIRY)
  }

  #slotOptions(number: number): SlotOptions {
    const { onMessage, slots } = this.#options
    // A group of its own: two platforms on one broker do not take each other's messages away. For one
    // session an ordinary subscription is enough, and no broker forgets it when it restarts.
    const filters = { alone: ALL_VALUES, shared: `$share/${this.#prefix}/${ALL_VALUES}` }
    return {
      address: this.address,
      clientId: `${this.#prefix}-slot-${number}`,
      expirySeconds: this.#expirySeconds,
      filter: slots === 1 ? filters.alone : filters.shared,
      formerFilter: slots === 1 ? filters.shared : filters.alone,
      onMessage,
      onReceived: () => this.#received++,
      onChange: () => this.#report()
    }
  }

  /** One line when it breaks and one when all is well again. */
  #report(): void {
    const { failure } = this
    const isWell = failure === undefined
    if (!this.#isStarted || isWell === this.#wasWell) return
    this.#wasWell = isWell
    const { log } = this.#options
    const broker = `${this.address.host}:${this.address.port}`
    if (isWell) log.info({ broker }, 'the MQTT broker is back')
    else log.warn({ broker, err: failure }, 'the MQTT broker is lost; what is sent waits there')
  }
}
