import type { Client, Subscription } from 'aedes'
import { generate } from 'mqtt-packet'
import type { Mount } from '../../lib/mount.ts'
import { isWithinTopicLimits } from '../../lib/topic.ts'
import type { Session } from '../bus.ts'
import type { Connection } from './connection.ts'

type Subscribe = {
  cmd: 'subscribe'
  subscriptions: Pick<Subscription, 'topic'>[]
  messageId?: number | undefined
}
type Arrived =
  | { cmd: 'publish'; topic: string }
  | Subscribe
  | { cmd: 'unsubscribe'; unsubscriptions: string[] }
  | { cmd: 'connect' }
/** A private part of the client of Aedes. */
type Parsing = {
  _parser?: { prependListener(event: 'packet', see: (packet: Arrived) => void): void }
}
type Options = {
  filtersPerSubscribe: number
  shorten: (packet: { topic: string }) => void
  hasFilter: (connection: Connection<Session>, filter: string) => boolean
}

const SUBACK_FAILURE = 128

/**
 * Sees each packet before Aedes does. It moves topics and filters below the mount of the
 * connection, and removes what Aedes cannot refuse, or is too slow to refuse.
 */
export class Arrivals {
  readonly #options: Options
  /**
   * What the answer to a SUBSCRIBE with too many filters needs. The key is the last filter that
   * Aedes handles.
   */
  readonly #tooLong = new WeakMap<object, { messageId: number; beyond: number }>()

  constructor(options: Options) {
    this.#options = options
  }

  watch(connection: Connection<Session>): void {
    const { _parser }: Client & Parsing = connection.client
    _parser?.prependListener('packet', (packet) => this.#see(connection, packet))
  }

  /**
   * Call this when Aedes has handled a SUBSCRIBE. A filter that Aedes refused has QoS 128. If there
   * were too many filters, this answers and returns how many were too many.
   */
  answer({ client }: Connection<Session>, subscriptions: Subscription[]): number {
    for (const subscription of subscriptions) {
      const answer = this.#tooLong.get(subscription)
      if (!answer) continue
      const { messageId, beyond } = answer
      const granted = [
        ...subscriptions.map(({ qos }) => Number(qos)),
        ...new Array<number>(beyond).fill(SUBACK_FAILURE)
      ]
      client.conn.write(generate({ cmd: 'suback', messageId, granted }))
      return beyond
    }
    return 0
  }

  #see(connection: Connection<Session>, packet: Arrived): void {
    const { shorten, hasFilter } = this.#options
    const { mount } = connection
    if (packet.cmd === 'publish') {
      if (mount) packet.topic = mount.enter(packet.topic)
      shorten(packet)
    } else if (packet.cmd === 'subscribe') this.#cut(packet, mount)
    else if (packet.cmd === 'unsubscribe') {
      const filters = new Set(
        packet.unsubscriptions.map((filter) => mount?.enter(filter) ?? filter)
      )
      packet.unsubscriptions = [...filters].filter((filter) => hasFilter(connection, filter))
    }
  }

  #cut(packet: Subscribe, mount: Mount | undefined): void {
    const { filtersPerSubscribe } = this.#options
    const { subscriptions, messageId } = packet
    const beyond = subscriptions.length - filtersPerSubscribe
    const last = subscriptions[filtersPerSubscribe - 1]
    if (beyond > 0 && last && messageId !== undefined) {
      subscriptions.length = filtersPerSubscribe
      // Without a message id Aedes does not answer.
      packet.messageId = undefined
      this.#tooLong.set(last, { messageId, beyond })
    }
    for (const [i, subscription] of subscriptions.entries()) {
      if (mount) subscription.topic = mount.enter(subscription.topic)
      // Nobody may subscribe to `$`, so this filter is refused.
      if (!isWithinTopicLimits(subscription.topic)) subscription.topic = `$long/${i}`
    }
  }
}
