import { Tally } from '../../lib/tally.ts'
import { firstLevel } from '../../lib/topic.ts'
import { type Branch, find, grow, newBranch, prune } from '../../lib/topic-tree.ts'
import type { Publish } from './publish.ts'
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
    for (const { topic, payload, qos, properties, expires } of retained) {
      this.#set(topic, {
        ...{ topic, payload: Buffer.from(payload), qos, retain: true, expires },
        properties: properties && Buffer.from(properties)
      })
    }
  }

  /** The changes to write; undefined if there is no room for the message. */
  put(message: Publish): Change[] | undefined {
    const { topic, qos, payload, properties, expires } = message
    // [MQTT 3.3.1-10], [MQTT 3.3.1-11]
    if (payload.length === 0) return this.#clear(topic)
    const level = firstLevel(topic)
    const before = this.#find(topic)
    const messages = this.#messages.of(level) + (before ? 0 : 1)
    const bytes = this.#bytes.of(level) + sizeOf(message) - (before ? sizeOf(before) : 0)
    if (messages > this.#limits.messages || bytes > this.#limits.bytes) return undefined
    // A copy, because the payload is a view of a much larger buffer.
    this.#set(topic, {
      ...{ topic, qos, payload: Buffer.from(payload), retain: true, expires },
      properties: properties && Buffer.from(properties)
    })
    const kept = { properties: properties && bytesOf(properties), expires }
    return [{ kind: 'retain', topic, payload: bytesOf(payload), qos, ...kept }]
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

  /** The message has expired. A newer one stays. */
  forget(message: Publish): void {
    if (this.#find(message.topic) === message) void this.#store.write(...this.#clear(message.topic))
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
    const message = this.#find(topic)
    if (!message) return []
    this.#count(message, -1)
    const branch = find(this.#root, topic)
    if (branch) branch.values = undefined
    prune(this.#root, topic)
    return [{ kind: 'unretain', topic }]
  }

  #find(topic: string): Publish | undefined {
    const message = find(this.#root, topic)?.values
    return message instanceof Set ? undefined : message
  }

  #set(topic: string, message: Publish): void {
    const before = this.#find(topic)
    if (before) this.#count(before, -1)
    grow(this.#root, topic).values = message
    this.#count(message, 1)
  }

  #count(message: Publish, sign: 1 | -1): void {
    const level = firstLevel(message.topic)
    this.#messages.add(level, sign)
    this.#bytes.add(level, sign * sizeOf(message))
  }
}

const sizeOf = ({ topic, payload, properties }: Publish): number =>
  topic.length + payload.length + (properties?.length ?? 0)
