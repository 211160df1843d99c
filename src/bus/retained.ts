import { hasWildcard, topicMatches } from '../lib/topic.ts'
import type { Publish } from './bus.ts'
import type { Contents } from './store/changes.ts'
import { bytesOf, type Store } from './store/store.ts'

type RetainedLimits = { messages: number; bytes: number }
type Tree = { packets: Map<string, Publish>; bytes: number }

/** By the first level of the topic, which is an installation: each has its own limits. */
export class Retained {
  readonly #store: Store
  readonly #limits: RetainedLimits
  readonly #trees = new Map<string, Tree>()
  #count = 0

  constructor(store: Store, limits: RetainedLimits) {
    this.#store = store
    this.#limits = limits
  }

  get size(): number {
    return this.#count
  }

  restore(retained: Contents['retained']): void {
    for (const { topic, payload, qos } of retained) {
      this.#set(topic, {
        cmd: 'publish',
        topic,
        payload: Buffer.from(payload),
        qos,
        retain: true,
        dup: false,
        brokerId: '',
        brokerCounter: 0
      })
    }
  }

  /** Resolves when it is on disk; undefined when there is no room for it. */
  put(packet: Publish): Promise<void> | undefined {
    const { topic, qos } = packet
    const payload = packet.payload as Buffer
    // [MQTT 3.3.1-10], [MQTT 3.3.1-11]
    if (payload.length === 0) return this.#clear(topic)
    const before = this.#remove(topic)
    const tree = this.#trees.get(levelOf(topic))
    const { messages, bytes } = this.#limits
    const isFull = tree && (tree.packets.size >= messages || tree.bytes + sizeOf(packet) > bytes)
    if (isFull) {
      if (before) this.#set(topic, before)
      return undefined
    }
    // A copy: what it was cut from is many times its size.
    this.#set(topic, { ...packet, payload: Buffer.from(payload) })
    return this.#store.write({ kind: 'retain', topic, payload: bytesOf(payload), qos })
  }

  /** What is gone by its first level; resolves when it is off the disk, with how many it was. */
  async drop(isGone: (level: string) => boolean): Promise<number> {
    const gone = [...this.#trees].filter(([level]) => isGone(level))
    const topics = gone.flatMap(([, { packets }]) => [...packets.keys()])
    await Promise.all(topics.map((topic) => this.#clear(topic)))
    return topics.length
  }

  *under(filters: string[]): Generator<Publish> {
    for (const filter of filters) {
      const level = levelOf(filter)
      const trees = hasWildcard(level) ? this.#trees.values() : [this.#trees.get(level)]
      for (const tree of trees) yield* matching(tree?.packets ?? new Map(), filter)
    }
  }

  async #clear(topic: string): Promise<void> {
    if (this.#remove(topic)) await this.#store.write({ kind: 'unretain', topic })
  }

  #set(topic: string, packet: Publish): void {
    const level = levelOf(topic)
    let tree = this.#trees.get(level)
    if (!tree) {
      tree = { packets: new Map(), bytes: 0 }
      this.#trees.set(level, tree)
    }
    tree.packets.set(topic, packet)
    tree.bytes += sizeOf(packet)
    this.#count++
  }

  #remove(topic: string): Publish | undefined {
    const level = levelOf(topic)
    const tree = this.#trees.get(level)
    const packet = tree?.packets.get(topic)
    if (!tree || !packet) return undefined
    tree.packets.delete(topic)
    tree.bytes -= sizeOf(packet)
    this.#count--
    if (tree.packets.size === 0) this.#trees.delete(level)
    return packet
  }
}

function* matching(packets: Map<string, Publish>, filter: string): Generator<Publish> {
  if (!hasWildcard(filter)) {
    const packet = packets.get(filter)
    if (packet) yield packet
    return
  }
  for (const [topic, packet] of packets) if (topicMatches(filter, topic)) yield packet
}

const levelOf = (topic: string): string => topic.split('/', 1)[0] ?? ''
const sizeOf = ({ topic, payload }: Publish): number => topic.length + payload.length
