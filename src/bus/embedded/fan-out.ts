import type { PublishPacket } from 'aedes'
import { Fifo } from '../../lib/fifo.ts'
import { firstLevel } from '../../lib/topic.ts'
import { TopicTree } from '../../lib/topic-tree.ts'
import type { Publish } from '../bus.ts'
import type { TenantTurns } from './tenant-turns.ts'

/** `sender` is the name of the client that sent the message. */
type Sender = { tenant: string; sender?: string }
type Done = (error?: Error) => void
/** One filter of one receiver. Bridges set `nl` and `rap`. */
export type Listening<R extends object> = {
  receiver: R
  qos: 0 | 1 | 2
  nl: boolean | undefined
  rap: boolean | undefined
}
/** How one receiver gets a message, by all of its filters that match. */
export type Delivery = Omit<Listening<object>, 'receiver'>
/**
 * A message on its way. `done` is called when the last receiver has it, or when the broker stops.
 */
type Task<R extends object> = {
  packet: Publish
  feeds: NonNullable<Publish['feeds']>
  tenant: string
  done: Done
  /** The filters that match, if they were already looked up. */
  found: Listening<R>[] | undefined
  receivers: Iterator<readonly [receiver: R, delivery: Delivery]> | undefined
}

/** The id of this broker in Aedes. */
export const brokerId = 'caracal'
/** The platform itself. Its messages have turns, like those of a tenant. */
const platform: Sender = { tenant: '' }
const closed = new Error('the bus is closed')
/** Receivers that get a message in one turn. */
const RECEIVERS_PER_TURN = 16
const STEPS_PER_RECEIVER = 2
/** So many matching filters are found and compared in one step. */
const FILTERS_PER_STEP = 50

/**
 * Delivers messages to connected clients, a few receivers at a time. Messages with the same first
 * topic level (an installation) are delivered in order: each to all of its receivers before the
 * next one. It takes the place of the `mq` of Aedes, which has room for a hundred messages and
 * waits until every receiver has taken them: one receiver that does not read would delay every
 * sender.
 */
export class FanOut<R extends object> {
  readonly #listening = new TopicTree<Listening<R>>()
  readonly #deliver: (receiver: R, packet: Publish, delivery: Delivery) => void
  readonly #turns: TenantTurns
  readonly #nextSeq: () => number
  /** By the first level of the topic. */
  readonly #lanes = new Map<string, Fifo<Task<R>>>()
  #closed = false

  constructor(options: {
    turns: TenantTurns
    nextSeq: () => number
    deliver: (receiver: R, packet: Publish, delivery: Delivery) => void
  }) {
    this.#turns = options.turns
    this.#nextSeq = options.nextSeq
    this.#deliver = options.deliver
  }

  get isBusy(): boolean {
    return this.#lanes.size > 0
  }

  listen(filter: string, listening: Listening<R>): void {
    this.#listening.add(filter, listening)
  }

  forget(filter: string, listening: Listening<R>): void {
    this.#listening.remove(filter, listening)
  }

  isHeard(topic: string): boolean {
    return this.#listening.match(topic).length > 0
  }

  /** Delivers the message in the turns of the tenant. */
  send(sent: PublishPacket & Partial<Publish>, { tenant, sender }: Sender, done: Done): void {
    if (this.#closed) {
      done(closed)
      return
    }
    const { topic, payload, qos, retain, brokerCounter = this.#nextSeq(), feeds = [] } = sent
    const level = firstLevel(topic)
    const lane = this.#lanes.get(level)
    const found = lane ? undefined : this.#listening.match(topic)
    // A message without receivers needs no turn.
    if (found?.length === 0) {
      for (const feed of feeds) feed.pass(brokerCounter)
      done()
      return
    }
    const packet: Publish = {
      ...{ cmd: 'publish', dup: false, topic, payload, qos, retain, brokerId, brokerCounter },
      ...(sender !== undefined && { clientId: sender })
    }
    const task: Task<R> = { packet, feeds, tenant, done, found, receivers: undefined }
    if (lane) lane.push(task)
    else {
      const begun = new Fifo<Task<R>>()
      begun.push(task)
      this.#lanes.set(level, begun)
      this.#goOn(level)
    }
  }

  /** Resolves when all receivers have the message; rejects if the broker stops before. */
  sent(packet: PublishPacket & Partial<Publish>, by = platform): Promise<void> {
    return new Promise((resolve, reject) => {
      this.send(packet, by, (error) => (error ? reject(error) : resolve()))
    })
  }

  /**
   * Aedes calls these. Clients subscribe with `listen`, and the messages of Aedes itself are not
   * used.
   */
  on(_filter: string, _deliver: unknown, done?: () => void): void {
    done?.()
  }

  removeListener(_filter: string, _deliver: unknown, done?: () => void): void {
    done?.()
  }

  emit(_packet: object, done: Done): void {
    done()
  }

  close(done: () => void): void {
    this.#closed = true
    for (const lane of this.#lanes.values()) for (const task of lane) task.done(closed)
    this.#lanes.clear()
    setImmediate(done)
  }

  #goOn(level: string): void {
    const task = this.#lanes.get(level)?.first
    if (task) this.#turns.take(task.tenant, () => this.#deliverSome(level, task))
    else this.#lanes.delete(level)
  }

  /** Returns how many steps it took. */
  #deliverSome(level: string, task: Task<R>): number {
    if (this.#closed) return 1
    const { packet } = task
    let steps = 1
    if (!task.receivers) {
      const found = task.found ?? this.#listening.match(packet.topic)
      steps += Math.floor(found.length / FILTERS_PER_STEP)
      task.receivers = strongest(found)
    }
    for (let i = 0; i < RECEIVERS_PER_TURN; i++) {
      const { value, done } = task.receivers.next()
      if (done) {
        this.#lanes.get(level)?.shift()
        for (const feed of task.feeds) feed.pass(packet.brokerCounter)
        task.done()
        break
      }
      const [receiver, delivery] = value
      this.#deliver(receiver, packet, delivery)
      steps += STEPS_PER_RECEIVER
    }
    this.#goOn(level)
    return steps
  }
}

/** [MQTT 3.3.5-1] Each receiver once, with the highest QoS of its filters. */
function strongest<R extends object>(
  found: Listening<R>[]
): Iterator<readonly [receiver: R, delivery: Delivery]> {
  const [first] = found
  if (first === undefined) return [].values()
  if (found.length === 1) return [[first.receiver, first] as const].values()
  const all = new Map<R, Delivery>()
  for (const { receiver, qos, nl, rap } of found) {
    const other = all.get(receiver)
    if (!other) all.set(receiver, { qos, nl, rap })
    else {
      if (other.qos < qos) other.qos = qos
      other.nl &&= nl
      other.rap ||= rap
    }
  }
  return all.entries()
}
