import { Fifo } from '../../lib/fifo.ts'
import { firstLevel } from '../../lib/topic.ts'
import { TopicTree } from '../../lib/topic-tree.ts'
import type { Hearer } from '../bus.ts'
import { Hearers } from '../hearers.ts'
import { type Publish, pushed } from './publish.ts'
import type { TenantTurns } from './tenant-turns.ts'
import type { Qos, Subscription } from './wire/packets.ts'
import { readPassed } from './wire/properties.ts'

/** `name` is that of the client. */
export type Receiver = { readonly name: string }
type Done = (error?: Error) => void
/** One filter of one receiver. `id` is the identifier that its client gave it. */
export type Listening<R extends Receiver> = { receiver: R } & Omit<Subscription, 'filter' | 'rh'>
/** How one receiver gets a message, by all of its filters that match. */
export type Delivery = { qos: Qos; rap: boolean | undefined; ids: number[] | undefined }
type Deliverer<R> = {
  deliver(receiver: R, message: Publish & { seq: number }, delivery: Delivery): void
}
/**
 * A message on its way. `done` is called when the last receiver has it, or when the broker stops.
 */
type Task<R extends Receiver> = {
  message: Publish & { seq: number }
  tenant: string
  done: Done
  /** The filters that match, if they were already looked up. */
  found: Listening<R>[] | undefined
  receivers: Iterator<readonly [receiver: R, delivery: Delivery]> | undefined
}

/** The platform itself. Its messages have turns, like those of a tenant. */
const platform = ''
const closed = new Error('the bus is closed')
/** Receivers that get a message in one turn. */
const RECEIVERS_PER_TURN = 16
const STEPS_PER_RECEIVER = 2
/** So many matching filters are found and compared in one step. */
const FILTERS_PER_STEP = 50

/**
 * Delivers messages to connected clients, a few receivers at a time. Messages with the same first
 * topic level (an installation) are delivered in order: each to all of its receivers before the
 * next one. It never waits for a receiver that does not read.
 */
export class FanOut<R extends Receiver> {
  readonly #listening = new TopicTree<Listening<R>>()
  /** Parts of the platform that wait for a message. */
  readonly #hearers = new Hearers()
  readonly #deliveries: Deliverer<R>
  readonly #turns: TenantTurns
  readonly #nextSeq: () => number
  /** By the first level of the topic. */
  readonly #lanes = new Map<string, Fifo<Task<R>>>()
  #closed = false

  constructor(options: {
    turns: TenantTurns
    nextSeq: () => number
    deliveries: Deliverer<R>
  }) {
    this.#turns = options.turns
    this.#nextSeq = options.nextSeq
    this.#deliveries = options.deliveries
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
    return this.#hearers.has(topic) || this.#listening.match(topic).length > 0
  }

  /** Returns how to stop. */
  hear(topic: string, hearer: Hearer): () => void {
    this.#hearers.add(topic, hearer)
    return () => this.#hearers.remove(topic, hearer)
  }

  /** Delivers the message in the turns of the tenant. */
  send(sent: Publish, tenant: string, done: Done): void {
    if (this.#closed) {
      done(closed)
      return
    }
    const { topic, seq = this.#nextSeq() } = sent
    if (!this.#hearers.isEmpty && this.#hearers.has(topic)) {
      this.#hearers.tell(topic, { payload: sent.payload, ...readPassed(sent.properties) })
    }
    const level = firstLevel(topic)
    const lane = this.#lanes.get(level)
    const found = lane ? undefined : this.#find(sent)
    // A message without receivers needs no turn.
    if (found?.length === 0) {
      for (const feed of sent.feeds ?? []) feed.pass(seq)
      done()
      return
    }
    const message = Object.assign(sent, { seq })
    const task: Task<R> = { message, tenant, done, found, receivers: undefined }
    if (lane) lane.push(task)
    else {
      const begun = new Fifo<Task<R>>()
      begun.push(task)
      this.#lanes.set(level, begun)
      this.#goOn(level)
    }
  }

  /** Resolves when all receivers have the message; rejects if the broker stops before. */
  sent(message: Publish, tenant = platform): Promise<void> {
    return new Promise((resolve, reject) => {
      this.send(message, tenant, (error) => (error ? reject(error) : resolve()))
    })
  }

  close(): void {
    this.#closed = true
    for (const lane of this.#lanes.values()) for (const task of lane) task.done(closed)
    this.#lanes.clear()
  }

  #find({ topic, chosen }: Publish): Listening<R>[] {
    const found = this.#listening.match(topic)
    if (chosen) found.push(...(chosen.connected as Listening<R>[]))
    return found
  }

  #goOn(level: string): void {
    const task = this.#lanes.get(level)?.first
    if (task) this.#turns.take(task.tenant, () => this.#deliverSome(level, task))
    else this.#lanes.delete(level)
  }

  /** Returns how many steps it took. */
  #deliverSome(level: string, task: Task<R>): number {
    if (this.#closed) return 1
    const { message } = task
    let steps = 1
    if (!task.receivers) {
      const found = task.found ?? this.#find(message)
      steps += Math.floor(found.length / FILTERS_PER_STEP)
      task.receivers = strongest(found, message.sender)
    }
    for (let i = 0; i < RECEIVERS_PER_TURN; i++) {
      const { value, done } = task.receivers.next()
      if (done) {
        this.#lanes.get(level)?.shift()
        for (const feed of message.feeds ?? []) feed.pass(message.seq)
        task.done()
        break
      }
      const [receiver, delivery] = value
      this.#deliveries.deliver(receiver, message, delivery)
      steps += STEPS_PER_RECEIVER
    }
    this.#goOn(level)
    return steps
  }
}

/** [MQTT 3.3.5-1] Each receiver once, with the highest QoS of its filters and all identifiers. */
function strongest<R extends Receiver>(
  found: Listening<R>[],
  sender: string | undefined
): Iterator<readonly [receiver: R, delivery: Delivery]> {
  const [first] = found
  if (found.length === 1 && first && !first.nl) {
    const { receiver, qos, rap, id } = first
    return [[receiver, { qos, rap, ids: pushed(undefined, id) }] as const].values()
  }
  const all = new Map<R, Delivery>()
  for (const { receiver, qos, nl, rap, id } of found) {
    // [MQTT-3.8.3-3]
    if (nl && receiver.name === sender) continue
    const other = all.get(receiver)
    if (!other) all.set(receiver, { qos, rap, ids: pushed(undefined, id) })
    else {
      if (other.qos < qos) other.qos = qos
      other.rap ||= rap
      other.ids = pushed(other.ids, id)
    }
  }
  return all.entries()
}
