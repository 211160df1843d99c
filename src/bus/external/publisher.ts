import type { IPublishPacket } from 'mqtt-packet'
import type { Logger } from 'pino'
import { topicMatches } from '../../lib/topic.ts'
import { endsWithin, within } from '../../lib/within.ts'
import type { Hearer, Message } from '../bus.ts'
import { Hearers } from '../hearers.ts'
import { LastingLink } from './lasting-link.ts'
import { Link, type LinkOptions, type Properties } from './link.ts'

export type Listener = {
  filter: string
  handler: (topic: string, payload: Buffer) => void
  onReady: () => void
}

/** A message that is not acknowledged in this time counts as not sent. */
const PUBLISH_LIMIT_MS = 5000
/** If the broker is away for longer, nobody waits for it. */
const SHORT_OUTAGE_MS = 1000
const RECEIVE_MAXIMUM = 1000
/** Subscriptions of hearers that are renewed in one step. */
const TOPICS_AT_ONCE = 100

/** The connection on which a node publishes, and hears what every node has to hear. */
export class Publisher {
  readonly #options: Pick<LinkOptions, 'address' | 'clientId'> & { log: Pick<Logger, 'error'> }
  readonly #lasting: LastingLink
  readonly #listeners: Listener[] = []
  readonly #hearers = new Hearers()
  /** The subscriptions of hearers on the connection that is up, by topic. */
  #subscribed = new Map<string, Promise<void>>()
  #changed = Promise.withResolvers<void>()
  #upSince: number | undefined
  #downSince: number | undefined = performance.now()

  constructor({
    onChange,
    ...options
  }: Pick<LinkOptions, 'address' | 'clientId'> & {
    log: Pick<Logger, 'error'>
    onChange: () => void
  }) {
    this.#options = options
    this.#lasting = new LastingLink({
      open: (signal) => this.#open(signal),
      onChange: () => {
        const [isUp, now] = [this.isUp, performance.now()]
        this.#upSince = isUp ? now : undefined
        this.#downSince = isUp ? undefined : (this.#downSince ?? now)
        this.#changed.resolve()
        this.#changed = Promise.withResolvers()
        // Not earlier, because a listener that is ready may publish.
        if (isUp) for (const { onReady } of this.#listeners) onReady()
        onChange()
      }
    })
  }

  get isUp(): boolean {
    return this.#lasting.link !== undefined
  }

  isUpFor(ms: number): boolean {
    return this.isUp && performance.now() - (this.#upSince ?? Number.POSITIVE_INFINITY) >= ms
  }

  get failure(): Error | undefined {
    return this.#lasting.failure
  }

  /**
   * Resolves when there is a connection. If there is none in time, it rejects with the last
   * failure.
   */
  async start(limitMs: number): Promise<void> {
    this.#lasting.start()
    const end = performance.now() + limitMs
    while (!this.isUp) {
      if (!(await this.#changeWithin(end - performance.now()))) {
        throw this.failure ?? new Error('the broker does not answer')
      }
    }
  }

  async publish(message: Message, properties: Properties): Promise<void> {
    const end = performance.now() + PUBLISH_LIMIT_MS
    for (;;) {
      const link = await this.#whenUp()
      try {
        return await within(end - performance.now(), link.publish(message, properties), tooLate)
      } catch (error) {
        const mayRepeat = message.qos > 0 && !link.isUp && performance.now() < end
        if (!mayRepeat) throw error
      }
    }
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener)
    const { link } = this.#lasting
    if (!link) return
    this.#subscribe(link, listener).then(listener.onReady, (error) => link.destroy(error))
  }

  /** Resolves when the broker has the subscription. It is renewed on later connections. */
  async hear(topic: string, hearer: Hearer): Promise<() => void> {
    const link = await this.#whenUp()
    this.#hearers.add(topic, hearer)
    const stop = () => this.#stopHearing(topic, hearer)
    const subscribed = this.#subscribed.get(topic) ?? link.subscribe(topic, { isOthersOnly: false })
    this.#subscribed.set(topic, subscribed)
    try {
      await within(PUBLISH_LIMIT_MS, subscribed, tooLate)
    } catch (error) {
      stop()
      throw error
    }
    return stop
  }

  stop(): Promise<void> {
    return this.#lasting.stop()
  }

  #stopHearing(topic: string, hearer: Hearer): void {
    this.#hearers.remove(topic, hearer)
    if (this.#hearers.has(topic) || !this.#subscribed.delete(topic)) return
    // If the connection ends before, so does the subscription.
    this.#lasting.link?.unsubscribe([topic]).catch(() => {})
  }

  async #whenUp(): Promise<Link> {
    for (;;) {
      const { link, failure } = this.#lasting
      if (link) return link
      const left = (this.#downSince ?? performance.now()) + SHORT_OUTAGE_MS - performance.now()
      if (!(await this.#changeWithin(left)))
        throw failure ?? new Error('no connection to the broker')
    }
  }

  async #changeWithin(ms: number): Promise<boolean> {
    if (ms <= 0) return false
    return endsWithin(ms, this.#changed.promise).catch(() => false)
  }

  async #open(signal: AbortSignal): Promise<Link> {
    const { address, clientId } = this.#options
    const link = await Link.open({
      ...{ address, clientId, signal },
      expirySeconds: 0,
      receiveMaximum: RECEIVE_MAXIMUM,
      onPublish: (packet, link) => {
        this.#hear(packet)
        if (packet.qos > 0) link.acknowledge(packet.messageId ?? 0)
      }
    })
    try {
      for (const listener of this.#listeners) await this.#subscribe(link, listener)
      await this.#hearAgain(link)
      return link
    } catch (error) {
      link.destroy(error as Error)
      throw error
    }
  }

  /** A topic that the broker refuses now must not keep the connection from coming back. */
  async #hearAgain(link: Link): Promise<void> {
    this.#subscribed = new Map()
    const { topics } = this.#hearers
    for (let start = 0; start < topics.length; start += TOPICS_AT_ONCE) {
      const some = topics.slice(start, start + TOPICS_AT_ONCE)
      const asked = some.map(
        (topic) => [topic, link.subscribe(topic, { isOthersOnly: false })] as const
      )
      for (const [topic, subscribed] of asked) this.#subscribed.set(topic, subscribed)
      await Promise.allSettled(asked.map(([, subscribed]) => subscribed))
    }
  }

  #subscribe(link: Link, { filter }: Listener): Promise<void> {
    return link.subscribe(filter, { isOthersOnly: true })
  }

  #hear({ topic, payload, retain, properties = {} }: IPublishPacket): void {
    if (retain) return
    if (this.#hearers.has(topic)) {
      const { contentType, correlationData, userProperties = {} } = properties
      this.#hearers.tell(topic, {
        ...{ payload: payload as Buffer, contentType, correlationData },
        userProperties: Object.entries(userProperties).flatMap(([name, values]) =>
          [values].flat().map((value) => ({ name, value }))
        )
      })
    }
    for (const { filter, handler } of this.#listeners) {
      if (!topicMatches(filter, topic)) continue
      try {
        handler(topic, payload as Buffer)
      } catch (err) {
        this.#options.log.error({ err, topic }, 'a message of another node could not be handled')
      }
    }
  }
}

const tooLate = () => new Error('the broker did not answer in time')
