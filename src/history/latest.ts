import { type Sample, statusJson } from '../lib/sample.ts'
import { hasWildcard, topicMatches } from '../lib/topic.ts'

/**
 * The newest sample of every topic, in memory: greatest timestamp, on a tie the later arrival.
 * History and spool rebuild it at start.
 */
export class Latest {
  readonly #installations = new Map<number, Topics>()
  #tell: (sample: Sample) => void = () => {}

  /** Called with each sample put here that became the newest of its topic. */
  onNewer(tell: (sample: Sample) => void): void {
    this.#tell = tell
  }

  put(sample: Sample): void {
    if (this.load(sample)) this.#tell(sample)
  }

  /** Like `put`, of a sample that everybody knows already; true when it became the newest. */
  load(sample: Sample): boolean {
    let topics = this.#installations.get(sample.installation_id)
    if (!topics) {
      topics = new Topics()
      this.#installations.set(sample.installation_id, topics)
    }
    return topics.put(sample)
  }

  /**
   * The newest samples as JSON objects joined by commas, sorted by topic. Filters are full topics
   * and may have wildcards; undefined means all.
   */
  json(installationId: number, filters: readonly string[] | undefined): string {
    const known = this.#installations.get(installationId)
    if (!known) return ''
    const topics = filters ? this.topics(installationId, filters) : known.inOrder()
    return topics.map((topic) => known.json(topic)).join(',')
  }

  /** The topics that ever had a sample and match a filter, sorted. */
  topics(installationId: number, filters: readonly string[]): string[] {
    const topics = this.#installations.get(installationId)
    if (!topics) return []
    const found = new Set(filters.filter((filter) => !hasWildcard(filter) && topics.has(filter)))
    const patterns = filters.filter(hasWildcard)
    if (patterns.length > 0) {
      for (const topic of topics.keys()) {
        if (patterns.some((pattern) => topicMatches(pattern, topic))) found.add(topic)
      }
    }
    return [...found].sort()
  }

  has(installationId: number, topic: string): boolean {
    return this.#installations.get(installationId)?.has(topic) ?? false
  }

  /** How many topics of the installation ever had a sample. */
  count(installationId: number): number {
    return this.#installations.get(installationId)?.size ?? 0
  }

  erase(installationId: number): void {
    this.#installations.delete(installationId)
  }

  get size(): number {
    let size = 0
    for (const topics of this.#installations.values()) size += topics.size
    return size
  }
}

type Held = { sample: Sample; json: string | undefined }

/** The topics of one installation. JSON text and order are made when first asked for. */
class Topics {
  readonly #held = new Map<string, Held>()
  #order: string[] | undefined

  put(sample: Sample): boolean {
    const held = this.#held.get(sample.topic)
    if (!held) {
      this.#held.set(sample.topic, { sample, json: undefined })
      this.#order = undefined
      return true
    }
    const { timestamp, id } = held.sample
    const isNewer = sample.timestamp === timestamp ? sample.id > id : sample.timestamp > timestamp
    if (!isNewer) return false
    held.sample = sample
    held.json = undefined
    return true
  }

  json(topic: string): string {
    const held = this.#held.get(topic)
    if (!held) return ''
    held.json ??= statusJson(held.sample)
    return held.json
  }

  inOrder(): readonly string[] {
    this.#order ??= [...this.#held.keys()].sort()
    return this.#order
  }

  has(topic: string): boolean {
    return this.#held.has(topic)
  }

  keys(): Iterable<string> {
    return this.#held.keys()
  }

  get size(): number {
    return this.#held.size
  }
}
