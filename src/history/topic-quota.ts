import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { HOUR } from '../lib/unix-time.ts'
import type { Latest } from './latest.ts'

type Parts = { latest: Latest; max: number; clock: Clock; log: FastifyBaseLogger }

/** Installations whose last line in the log is remembered. */
const MAX_TOLD = 10_000

/** How many topics an installation may have. Those on their way to the disk count. */
export class TopicQuota {
  readonly max: number
  readonly #parts: Parts
  readonly #onTheirWay = new Map<number, Set<string>>()
  /** When the log last had a line about the installation. */
  readonly #told = new Map<number, number>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.max = parts.max
  }

  /** Whether the installation has the topic or may have it; `release` follows when it is stored or not. */
  admit(installationId: number, topic: string): boolean {
    const { latest } = this.#parts
    if (latest.has(installationId, topic)) return true
    let topics = this.#onTheirWay.get(installationId)
    if (topics?.has(topic)) return true
    if (latest.count(installationId) + (topics?.size ?? 0) >= this.max) {
      this.#tell(installationId)
      return false
    }
    if (!topics) {
      topics = new Set()
      this.#onTheirWay.set(installationId, topics)
    }
    topics.add(topic)
    return true
  }

  release(installationId: number, topic: string): void {
    const topics = this.#onTheirWay.get(installationId)
    if (topics?.delete(topic) && topics.size === 0) this.#onTheirWay.delete(installationId)
  }

  #tell(installation_id: number): void {
    const { clock, log } = this.#parts
    const now = clock()
    if (now - (this.#told.get(installation_id) ?? Number.NEGATIVE_INFINITY) < HOUR) return
    if (this.#told.size >= MAX_TOLD) this.#told.clear()
    this.#told.set(installation_id, now)
    log.warn(
      { installation_id, max: this.max },
      'an installation has as many topics as it may; values on new ones are refused'
    )
  }
}
