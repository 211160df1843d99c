import type { Client, Subscription } from 'aedes'
import { generate } from 'mqtt-packet'
import { isWithinTopicLimits } from '../lib/topic.ts'
import type { Session } from './bus.ts'
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
/** As Aedes has it. */
type Parsing = {
  _parser?: { prependListener(event: 'packet', see: (packet: Arrived) => void): void }
}
type Options<S extends Session> = {
  filtersPerSubscribe: number
  shorten: (packet: { topic: string }) => void
  hasFilter: (connection: Connection<S>, filter: string) => boolean
}

const refused = 128

/** Sees each packet before Aedes does, and takes out what Aedes cannot refuse or not fast enough. */
export class Arrivals<S extends Session> {
  readonly #options: Options<S>
  /** By a filter that Aedes does handle: the answer to a SUBSCRIBE with too many. */
  readonly #tooLong = new WeakMap<object, { messageId: number; beyond: number }>()

  constructor(options: Options<S>) {
    this.#options = options
  }

  watch(connection: Connection<S>): void {
    const { _parser }: Client & Parsing = connection.client
    _parser?.prependListener('packet', (packet) => this.#see(connection, packet))
  }

  /** Aedes has handled a SUBSCRIBE; those filters that it refused have QoS 128. */
  answer({ client }: Connection<S>, subscriptions: Subscription[]): number {
    for (const subscription of subscriptions) {
      const answer = this.#tooLong.get(subscription)
      if (!answer) continue
      const { messageId, beyond } = answer
      const granted = [
        ...subscriptions.map(({ qos }) => Number(qos)),
        ...new Array<number>(beyond).fill(refused)
      ]
      client.conn.write(generate({ cmd: 'suback', messageId, granted }))
      return beyond
    }
    return 0
  }

  #see(connection: Connection<S>, packet: Arrived): void {
    const { shorten, hasFilter } = this.#options
    if (packet.cmd === 'publish') shorten(packet)
    else if (packet.cmd === 'subscribe') this.#cut(packet)
    else if (packet.cmd === 'unsubscribe') {
      const filters = new Set(packet.unsubscriptions)
      packet.unsubscriptions = [...filters].filter((filter) => hasFilter(connection, filter))
    }
  }

  #cut(packet: Subscribe): void {
    const { filtersPerSubscribe } = this.#options
    const { subscriptions, messageId } = packet
    const beyond = subscriptions.length - filtersPerSubscribe
    const last = subscriptions[filtersPerSubscribe - 1]
    if (beyond > 0 && last && messageId !== undefined) {
      subscriptions.length = filtersPerSubscribe
      // Without it Aedes does not answer.
      packet.messageId = undefined
      this.#tooLong.set(last, { messageId, beyond })
    }
    for (const [i, subscription] of subscriptions.entries()) {
      // A name that nobody may use.
      if (!isWithinTopicLimits(subscription.topic)) subscription.topic = `$long/${i}`
    }
  }
}
