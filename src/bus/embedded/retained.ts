import { Tally } from '../../lib/tally.ts'
import { firstLevel } from '../../lib/topic.ts'
import { type Branch, find, grow, newBranch, prune } from '../../lib/topic-tree.ts'
import type { Publish } from '../bus.ts'
import { type RetainedMatch, walkRetained } from './retained-walk.ts'
import type { Change, Contents } from './store/changes.ts'
import { bytesOf, type Store } from './store/store.ts'

type RetainedLimits = { messages: number; bytes: number }

/**
 * The retained messages. The first level of a topic is an installation, and each has its own
 * limits.
 */
export class Retained {
  readonly #store: Store
  readonly #limits: RetainedLimits
  readonly #root: Branch<Publish> = newBranch('')
  readonly #messages = new Tally()
  readonly #bytes = new Tally()

  constructor(store: Store, limits: RetainedLimits) {
    this.#store = store
    this.#limits = limits
  }

  get size(): number {
    return this.#messages.total
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

  /** The changes to write; undefined if there is no room for the message. */
  put(packet: Publish): Change[] | undefined {
    const { topic, qos } = packet
    const payload = packet.payload as Buffer
    // [MQTT 3.3.1-10], [MQTT 3.3.1-11]
    if (payload.length === 0) return this.#clear(topic)
    const level = firstLevel(topic)
    const before = this.#find(topic)
    const messages = this.#messages.of(level) + (before ? 0 : 1)
    const bytes = this.#bytes.of(level) + sizeOf(packet) - (before ? sizeOf(before) : 0)
    if (messages > this.#limits.messages || bytes > this.#limits.bytes) return undefined
    // A copy, because the payload is a view of a much larger buffer.
    this.#set(topic, { ...packet, payload: Buffer.from(payload) })
    return [{ kind: 'retain', topic, payload: bytesOf(payload), qos }]
  }

  /**
   * Removes the messages whose first level is gone. Resolves with their number when they are off
   * the disk.
   */
  async drop(isGone: (level: string) => boolean): Promise<number> {
    const topics: string[] = []
    for (const [level, branch] of this.#root.next ?? []) {
      if (!isGone(level)) continue
      const all = { ...newBranch<Publish>(''), next: new Map([[level, branch]]) }
      for (const found of walkRetained(all, [['#', 0]])) {
        if (typeof found !== 'number') topics.push(found.value.topic)
      }
    }
    await Promise.all(topics.map((topic) => this.#store.write(...this.#clear(topic))))
    return topics.length
  }

  /** Each message that one of the filters matches, once, with the highest granted QoS. */
  async *under(
    filters: Iterable<readonly [filter: string, qos: 0 | 1 | 2]>,
    pause: (steps: number) => Promise<void> | undefined
  ): AsyncGenerator<RetainedMatch<Publish>> {
    for (const found of walkRetained(this.#root, filters)) {
      if (typeof found !== 'number') yield found
      else {
        const paused = pause(found)
        if (paused) await paused
      }
    }
  }

  #clear(topic: string): Change[] {
    const packet = this.#find(topic)
    if (!packet) return []
    this.#count(packet, -1)
    const branch = find(this.#root, topic)
    if (branch) branch.values = undefined
    prune(this.#root, topic)
    return [{ kind: 'unretain', topic }]
  }

  #find(topic: string): Publish | undefined {
    const packet = find(this.#root, topic)?.values
    return packet instanceof Set ? undefined : packet
  }

  #set(topic: string, packet: Publish): void {
    const before = this.#find(topic)
    if (before) this.#count(before, -1)
    grow(this.#root, topic).values = packet
    this.#count(packet, 1)
  }

  #count(packet: Publish, sign: 1 | -1): void {
    const level = firstLevel(packet.topic)
    this.#messages.add(level, sign)
    this.#bytes.add(level, sign * sizeOf(packet))
  }
}

const sizeOf = ({ topic, payload }: Publish): number => topic.length + payload.length
