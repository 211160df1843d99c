import type { FastifyBaseLogger } from 'fastify'
import { Fifo } from '../../lib/fifo.ts'
import { SECOND, unixMs } from '../../lib/unix-time.ts'
import type { SharedBus } from '../../samples/peers.ts'
import { partitionOf } from './partitions.ts'
import type { Value } from './watching.ts'

/** A value for another node. `onDone`: somebody waits until it is written. */
type Entry = { value: Value; isImport: boolean; needsAfter: number; onDone?: () => void }
type Sent = { number: number; count: number; at: number }
/** Values that another node has handed over. */
export type Handed = {
  from: string
  number: number
  partition: number
  isImport: boolean
  values: Value[]
}

/** Of one message. */
const MAX_VALUES = 2000
const MAX_CHARACTERS = 256 * 1024
/** Above this, no more values are read from the spool. */
const MAX_WAITING = 20_000
/** Messages of other nodes. What does not fit comes again. */
const MAX_INBOX = 256
const REPEAT_AFTER_MS = 3 * SECOND

/**
 * Hands values to the nodes that watch their installations, and gets those that others hand over.
 * For each partition one message is under way, so values arrive in order; the answer says that they
 * are written. Without an answer it is sent again, to whoever holds the partition then.
 */
export class Handover {
  readonly #bus: SharedBus
  readonly #node: string
  readonly #log: FastifyBaseLogger
  readonly #queues = new Map<number, Fifo<Entry>>()
  readonly #sent = new Map<number, Sent>()
  readonly #inbox: Handed[] = []
  #numbers = 0
  #waiting = 0

  constructor(bus: SharedBus, { node, log }: { node: string; log: FastifyBaseLogger }) {
    this.#bus = bus
    this.#node = node
    this.#log = log
  }

  /** `holds`: whether this node holds the partition. */
  start(holds: (partition: number) => boolean): void {
    const { ownTopics } = this.#bus
    this.#bus.listen(`${ownTopics}/alarms/to/+`, (topic, payload) => {
      const partition = Number(topic.slice(topic.lastIndexOf('/') + 1))
      if (!holds(partition) || this.#inbox.length >= MAX_INBOX) return
      this.#inbox.push(handedOf(partition, payload.toString()))
    })
    this.#bus.listen(`${ownTopics}/alarms/done/${this.#node}`, (_topic, payload) => {
      const [partition, number] = payload.toString().split(' ').map(Number)
      this.#done(partition ?? 0, number ?? 0)
    })
  }

  get isFull(): boolean {
    return this.#waiting >= MAX_WAITING
  }

  /** The group of the spool after which values wait here. */
  get needsAfter(): number {
    let first = Number.POSITIVE_INFINITY
    for (const queue of this.#queues.values()) {
      first = Math.min(first, queue.first?.needsAfter ?? first)
    }
    return first
  }

  add(value: Value, needsAfter: number): void {
    this.#push({ value, isImport: false, needsAfter })
  }

  /** Resolves when they are written. */
  async handImport(values: readonly Value[]): Promise<void> {
    const last = values.at(-1)
    if (!last) return
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const value of values) {
      const isLast = value === last
      this.#push({
        ...{ value, isImport: true, needsAfter: Number.POSITIVE_INFINITY },
        ...(isLast && { onDone: resolve })
      })
    }
    await promise
  }

  /** This node has become the holder of the partition. */
  takeBack(partition: number): readonly Entry[] {
    const queue = this.#queues.get(partition)
    if (!queue) return []
    this.#queues.delete(partition)
    this.#sent.delete(partition)
    this.#waiting -= queue.size
    return [...queue]
  }

  /** The spool is read again from its beginning. What waits comes again. */
  forgetValues(): void {
    for (const [partition, queue] of this.#queues) {
      const imports = [...queue].filter(({ isImport }) => isImport)
      this.#waiting -= queue.size
      this.#queues.delete(partition)
      this.#sent.delete(partition)
      for (const one of imports) this.#push(one)
    }
  }

  async send(): Promise<void> {
    const now = performance.now()
    for (const [partition, queue] of this.#queues) {
      const sent = this.#sent.get(partition)
      if (queue.size === 0 || (sent && now - sent.at < REPEAT_AFTER_MS)) continue
      const some = sent ? first(queue, sent.count) : portionOf(queue)
      const number = sent?.number ?? ++this.#numbers
      this.#sent.set(partition, { number, count: some.length, at: now })
      await this.#publish(`to/${partition}`, textOf(this.#node, number, some))
    }
  }

  takeInbox(): Handed[] {
    return this.#inbox.splice(0)
  }

  confirm({ from, partition, number }: Handed): Promise<void> {
    return this.#publish(`done/${from}`, `${partition} ${number}`)
  }

  #push(entry: Entry): void {
    const partition = partitionOf(entry.value.installation_id)
    const queue = this.#queues.get(partition) ?? new Fifo<Entry>()
    this.#queues.set(partition, queue)
    queue.push(entry)
    this.#waiting++
  }

  #done(partition: number, number: number): void {
    const sent = this.#sent.get(partition)
    const queue = this.#queues.get(partition)
    if (sent?.number !== number || !queue) return
    this.#sent.delete(partition)
    this.#waiting -= sent.count
    for (let left = sent.count; left > 0; left--) queue.shift()?.onDone?.()
    if (queue.size === 0) this.#queues.delete(partition)
  }

  /** What is lost is sent again. */
  async #publish(topic: string, payload: string): Promise<void> {
    try {
      await this.#bus.publish(`${this.#bus.ownTopics}/alarms/${topic}`, payload, { qos: 1 })
    } catch (err) {
      this.#log.warn({ err }, 'values could not be handed to the node that watches them')
    }
  }
}

function first(queue: Fifo<Entry>, count: number): Entry[] {
  const some: Entry[] = []
  for (const entry of queue) {
    if (some.length >= count) break
    some.push(entry)
  }
  return some
}

/** The next message: all of it is imported, or nothing. */
function portionOf(queue: Fifo<Entry>): Entry[] {
  const some: Entry[] = []
  let characters = 0
  for (const entry of queue) {
    characters += entry.value.topic.length + 50
    const isOther = some[0] !== undefined && some[0].isImport !== entry.isImport
    if (isOther || some.length >= MAX_VALUES || characters > MAX_CHARACTERS) break
    some.push(entry)
  }
  return some
}

const textOf = (from: string, number: number, entries: readonly Entry[]): string =>
  JSON.stringify({
    ...{ from, number, isImport: entries[0]?.isImport ?? false },
    values: entries.map(({ value: { id, installation_id, topic, timestamp, value } }) => [
      ...[id, installation_id, topic, timestamp, value]
    ])
  })

type Row = [id: number, installation_id: number, topic: string, timestamp: number, value: number]

function handedOf(partition: number, text: string): Handed {
  const { from, number, isImport, values } = JSON.parse(text)
  return {
    ...{ partition, from, number, isImport },
    values: (values as Row[]).map(([id, installation_id, topic, timestamp, value]) => {
      return { id, installation_id, topic, timestamp: unixMs(timestamp), value }
    })
  }
}
