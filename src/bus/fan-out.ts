import type { PublishPacket } from 'aedes'
import { Fifo } from '../lib/fifo.ts'
import { firstLevel } from '../lib/topic.ts'
import type { Publish } from './bus.ts'
import type { TenantTurns } from './tenant-turns.ts'
import { TopicTree } from './topic-tree.ts'

/** `sender`: the name of its client. */
type Sender = { tenant: string; sender?: string }
type Done = (error?: Error) => void
/** One filter of one receiver. `nl` and `rap` are set by bridges. */
export type Listening<R extends object> = {
  receiver: R
  qos: 0 | 1 | 2
  nl: boolean | undefined
  rap: boolean | undefined
}
/** What goes to one receiver, by all of its filters that match. */
export type Heard<R extends object> = Omit<Listening<R>, 'receiver'>
/** A message on its way; `done` when the last receiver had it, or the broker stops. */
type Task<R extends object> = {
  packet: Publish
  outboxes: NonNullable<Publish['outboxes']>
  tenant: string
  done: Done
  receivers: Iterator<readonly [receiver: R, heard: Heard<R>]> | undefined
}

/** Of this broker, as Aedes knows it. */
export const brokerId = 'caracal'
/** What it publishes has a turn as that of a tenant. */
const platform: Sender = { tenant: '' }
const closed = new Error('the bus is closed')
/** Receivers of one turn: each costs more than a step. */
const RECEIVERS_PER_TURN = 16
const STEPS_PER_RECEIVER = 2
/** Filters that match are found and compared with so many in one step. */
const FILTERS_PER_STEP = 50

/**
 * Messages to those who are connected, a few receivers at a time. What is published under one first
 * level of a topic, an installation, goes out in order, each message to all before the next one.
 * It stands where Aedes has its `mq`, which waits until every receiver took a message and has a
 * hundred places for all: one receiver that does not read would hold up every sender.
 */
export class FanOut<R extends object> {
  readonly #listening = new TopicTree<Listening<R>>()
  readonly #deliver: (receiver: R, packet: Publish, heard: Heard<R>) => void
  readonly #turns: TenantTurns
  readonly #nextSeq: () => number
  readonly #lanes = new Map<string, Fifo<Task<R>>>()
  #closed = false

  constructor(options: {
    turns: TenantTurns
    nextSeq: () => number
    deliver: (receiver: R, packet: Publish, heard: Heard<R>) => void
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

  /** In the turns of the tenant. */
  send(sent: PublishPacket & Partial<Publish>, { tenant, sender }: Sender, done: Done): void {
    if (this.#closed) {
      done(closed)
      return
    }
    const { topic, payload, qos, retain, brokerCounter = this.#nextSeq(), outboxes = [] } = sent
    const packet: Publish = {
      ...{ cmd: 'publish', dup: false, topic, payload, qos, retain, brokerId, brokerCounter },
      ...(sender !== undefined && { clientId: sender })
    }
    const level = firstLevel(topic)
    const task: Task<R> = { packet, outboxes, tenant, done, receivers: undefined }
    const lane = this.#lanes.get(level)
    if (lane) lane.push(task)
    else {
      const begun = new Fifo<Task<R>>()
      begun.push(task)
      this.#lanes.set(level, begun)
      this.#goOn(level)
    }
  }

  /** Resolves when all have it; rejects when the broker stops before. */
  sent(packet: PublishPacket & Partial<Publish>, by = platform): Promise<void> {
    return new Promise((resolve, reject) => {
      this.send(packet, by, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Clients are heard by `listen`, and what Aedes tells itself nobody needs. */
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
    // The broker stops.
    if (this.#closed) return 1
    const { packet } = task
    let steps = 1
    if (!task.receivers) {
      const found = this.#listening.match(packet.topic)
      steps += Math.floor(found.length / FILTERS_PER_STEP)
      task.receivers = strongest(found)
    }
    for (let i = 0; i < RECEIVERS_PER_TURN; i++) {
      const { value, done } = task.receivers.next()
      if (done) {
        this.#lanes.get(level)?.shift()
        for (const outbox of task.outboxes) outbox.pass(packet.brokerCounter)
        task.done()
        break
      }
      const [receiver, heard] = value
      this.#deliver(receiver, packet, heard)
      steps += STEPS_PER_RECEIVER
    }
    this.#goOn(level)
    return steps
  }
}

/** [MQTT 3.3.5-1] each receiver once, at the greatest QoS of its filters. */
function strongest<R extends object>(
  found: Listening<R>[]
): Iterator<readonly [receiver: R, heard: Heard<R>]> {
  const [first] = found
  if (first === undefined) return [].values()
  if (found.length === 1) return [[first.receiver, first] as const].values()
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
  return all.entries()
}
