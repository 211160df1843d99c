import { isMappable } from '../../lib/mapping/filter.ts'
import { isWithinTopicLimits } from '../../lib/topic.ts'
import { SECOND, type UnixMs } from '../../lib/unix-time.ts'

export type LastMessage = { topic: string; payload: string; timestamp: UnixMs }
type Kept = { payload: Buffer; timestamp: UnixMs }
/** `topics` without the client id, the newest last. */
type OfOne = { topics: Map<string, Kept>; second: number; keptInSecond: number }

/** The newest message of so many topics, for each installation. */
const MAX_TOPICS = 100
/** What is longer is cut: it is only shown and tried. */
export const MAX_SHOWN_BYTES = 4096
/** Of all installations together, in memory. */
const MAX_BYTES = 8 * 1024 * 1024
/** A topic, its place in two maps and a buffer. */
const BYTES_EACH = 250
/** Of one installation, each from another topic. A copy of every message would cost too much. */
const KEPT_PER_SECOND = 20

/**
 * The newest messages that are no values, for those who write a mapping. Only in memory, and only
 * what this node has seen. The installation that sent nothing for the longest time makes room.
 */
export class LastMessages {
  readonly #kept = new Map<number, OfOne>()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  keep(installationId: number, whole: string, payload: Buffer, now: UnixMs): void {
    const second = Math.floor(now / SECOND)
    const one = this.#kept.get(installationId) ?? { topics: new Map(), second, keptInSecond: 0 }
    if (one.second !== second) Object.assign(one, { second, keptInSecond: 0 })
    if (one.keptInSecond >= KEPT_PER_SECOND) return
    const topic = whole.slice(whole.indexOf('/') + 1)
    if (!isMappable(topic) || !isWithinTopicLimits(whole)) return
    const before = one.topics.get(topic)
    if (before && Math.floor(before.timestamp / SECOND) === second) return
    if (before) this.#drop(one, topic, before)
    // The payload is a part of a larger buffer, which must not stay in memory.
    const copy = Buffer.from(payload.subarray(0, MAX_SHOWN_BYTES))
    one.topics.set(topic, { payload: copy, timestamp: now })
    one.keptInSecond++
    this.#bytes += copy.length + topic.length + BYTES_EACH
    this.#kept.delete(installationId)
    this.#kept.set(installationId, one)
    this.#makeRoom(one)
  }

  /** The newest first. */
  of(installationId: number): LastMessage[] {
    const kept = this.#kept.get(installationId)?.topics ?? []
    return Array.from(kept, ([topic, { payload, timestamp }]) => {
      return { topic, payload: payload.toString(), timestamp }
    }).reverse()
  }

  forget(installationId: number): void {
    const one = this.#kept.get(installationId)
    if (!one) return
    for (const [topic, kept] of one.topics) this.#drop(one, topic, kept)
    this.#kept.delete(installationId)
  }

  #makeRoom(one: OfOne): void {
    for (const [topic, kept] of one.topics) {
      if (one.topics.size <= MAX_TOPICS) break
      this.#drop(one, topic, kept)
    }
    for (const installationId of this.#kept.keys()) {
      if (this.#bytes <= MAX_BYTES) break
      this.forget(installationId)
    }
  }

  #drop({ topics }: OfOne, topic: string, { payload }: Kept): void {
    topics.delete(topic)
    this.#bytes -= payload.length + topic.length + BYTES_EACH
  }
}
