import type { AedesPublishPacket } from 'aedes'
import { TopicTree } from './topic-tree.ts'

type Deliver = (packet: AedesPublishPacket, done: () => void) => void
/** One filter of one receiver. `nl` and `rap` are set by bridges. */
export type Listening<R extends object> = {
  receiver: R
  qos: 0 | 1 | 2
  nl: boolean | undefined
  rap: boolean | undefined
}
/** What goes to one receiver, by all of its filters that match. */
export type Heard<R extends object> = Omit<Listening<R>, 'receiver'>

/**
 * What Aedes calls `mq`. Its own one waits until every receiver took the message and has a hundred
 * places for all, so one receiver that does not read would hold up every sender. Aedes listens
 * filter by filter; here each receiver is called once for a message, with its strongest filter.
 */
export class FanOut<R extends object> {
  readonly #own = new TopicTree<Deliver>()
  readonly #listening = new TopicTree<Listening<R>>()
  readonly #deliver: (receiver: R, packet: AedesPublishPacket, heard: Heard<R>) => void
  #closed = false

  constructor(deliver: (receiver: R, packet: AedesPublishPacket, heard: Heard<R>) => void) {
    this.#deliver = deliver
  }

  listen(filter: string, listening: Listening<R>): void {
    this.#listening.add(filter, listening)
  }

  forget(filter: string, listening: Listening<R>): void {
    this.#listening.remove(filter, listening)
  }

  /** Only what Aedes tells itself; clients are heard by `listen`. */
  on(filter: string, deliver: Deliver, done?: () => void): void {
    if (filter.startsWith('$')) this.#own.add(filter, deliver)
    done?.()
  }

  removeListener(filter: string, deliver: Deliver, done?: () => void): void {
    if (filter.startsWith('$')) this.#own.remove(filter, deliver)
    done?.()
  }

  emit(packet: AedesPublishPacket, done: (error?: Error) => void): void {
    if (this.#closed) {
      done(new Error('the bus is closed'))
      return
    }
    if (packet.topic.startsWith('$')) {
      for (const deliver of this.#own.match(packet.topic)) deliver(packet, taken)
    } else {
      for (const [receiver, heard] of strongest(this.#listening.match(packet.topic))) {
        this.#deliver(receiver, packet, heard)
      }
    }
    done()
  }

  close(done: () => void): void {
    this.#closed = true
    setImmediate(done)
  }
}

/** [MQTT 3.3.5-1] each receiver once, at the greatest QoS of its filters. */
function strongest<R extends object>(
  found: Listening<R>[]
): Iterable<readonly [receiver: R, heard: Heard<R>]> {
  const [first] = found
  if (first === undefined) return []
  if (found.length === 1) return [[first.receiver, first]]
  const all = new Map<R, Heard<R>>()
  for (const { receiver, qos, nl, rap } of found) {
    const other = all.get(receiver)
    if (!other) all.set(receiver, { qos, nl, rap })
    else {
      if (other.qos < qos) other.qos = qos
      other.nl &&= nl
      other.rap ||= rap
    }
  }
  return all
}

function taken(): void {}
