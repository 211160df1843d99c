import type { Clock } from '../lib/clock.ts'
import { isNewer } from '../lib/newest.ts'
import { ownText } from '../lib/own-text.ts'
import type { Sample } from '../lib/sample.ts'
import { mergedTexts, sortedTexts } from '../lib/sorted-texts.ts'
import { hasWildcard } from '../lib/topic.ts'
import { matchingTopics } from '../lib/topic-walk.ts'
import { Turns } from '../lib/turns.ts'

/** Characters of a message up to which it stays in memory with its topic. */
export const MAX_SHORT_MSG = 256
/** Of long messages that were the last to come: most are not in history yet. */
const MAX_RECENT_BYTES = 16 * 1024 * 1024

/** The newest sample of a topic; `msg` is undefined when it is long. */
export type Held = Omit<Sample, 'msg'> & { readonly msg: string | undefined }

/**
 * The newest sample of every topic, in memory, as `isNewer` says.
 * History and spool rebuild it at start. Long messages stay on disk; `LatestTexts` reads them.
 */
export class Latest {
  readonly #installations = new Map<number, Topics>()
  /** The oldest one first. */
  readonly #recent = new Map<Held, string>()
  #recentBytes = 0
  readonly #clock: Clock
  #tell: (sample: Sample) => void = () => {}
  #tellCount: (installationId: number, change: number) => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Called with each sample put here that became the newest of its topic. */
  onNewer(tell: (sample: Sample) => void): void {
    this.#tell = tell
  }

  /** Called when an installation has more topics than before, or fewer. */
  onCount(tell: (installationId: number, change: number) => void): void {
    this.#tellCount = tell
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
    const before = topics.find(sample.topic)
    if (before && !isNewer(sample, before, this.#clock())) return false
    const held = topics.put(sample, before)
    if (before) this.#forget(before)
    else this.#tellCount(sample.installation_id, 1)
    if (held.msg === undefined) this.#remember(held, sample.msg)
    return true
  }

  /**
   * The topics that ever had a sample and match a filter, sorted; undefined means all. Filters are
   * full topics and may have wildcards.
   */
  async topics(
    installationId: number,
    filters: readonly string[] | undefined
  ): Promise<readonly string[]> {
    return (await this.#installations.get(installationId)?.matching(filters)) ?? []
  }

  find(installationId: number, topic: string): Held | undefined {
    return this.#installations.get(installationId)?.find(topic)
  }

  /** The whole message, if it was among the last long ones. */
  recentMsg(held: Held): string | undefined {
    return this.#recent.get(held)
  }

  has(installationId: number, topic: string): boolean {
    return this.find(installationId, topic) !== undefined
  }

  /** How many topics of the installation ever had a sample. */
  count(installationId: number): number {
    return this.#installations.get(installationId)?.size ?? 0
  }

  erase(installationId: number): void {
    const count = this.count(installationId)
    this.#installations.delete(installationId)
    if (count > 0) this.#tellCount(installationId, -count)
  }

  get size(): number {
    let size = 0
    for (const topics of this.#installations.values()) size += topics.size
    return size
  }

  #remember(held: Held, msg: string): void {
    this.#recent.set(held, ownText(msg))
    this.#recentBytes += bytesOf(msg)
    for (const oldest of this.#recent.keys()) {
      if (this.#recentBytes <= MAX_RECENT_BYTES) break
      this.#forget(oldest)
    }
  }

  #forget(held: Held): void {
    const msg = this.#recent.get(held)
    if (msg === undefined) return
    this.#recent.delete(held)
    this.#recentBytes -= bytesOf(msg)
  }
}

/** A character takes two at most. */
const bytesOf = (msg: string): number => 2 * msg.length

/** The topics of one installation, put in order when it is asked for. */
class Topics {
  readonly #held = new Map<string, Held>()
  #order: readonly string[] = []
  /** Not in the order yet. */
  #added: string[] = []
  #ordering: Promise<void> | undefined

  put(sample: Sample, before: Held | undefined): Held {
    const { id, installation_id, client_id, timestamp, value } = sample
    const topic = before?.topic ?? ownText(sample.topic)
    const msg = sample.msg.length > MAX_SHORT_MSG ? undefined : ownText(sample.msg)
    const held = { id, installation_id, client_id, topic, timestamp, value, msg }
    this.#held.set(topic, held)
    if (!before) this.#added.push(topic)
    return held
  }

  find(topic: string): Held | undefined {
    return this.#held.get(topic)
  }

  async matching(filters: readonly string[] | undefined): Promise<readonly string[]> {
    if (!filters) return this.#inOrder()
    const turns = new Turns()
    const exact: string[] = []
    for (const filter of filters) {
      if (!hasWildcard(filter) && this.#held.has(filter)) exact.push(filter)
      if (turns.isOver()) await turns.next()
    }
    const found = await sortedTexts(exact, turns)
    const patterns = filters.filter(hasWildcard)
    if (patterns.length === 0) return found
    const matched = await matchingTopics(await this.#inOrder(), patterns, turns)
    return mergedTexts(found, matched, turns)
  }

  /** Everything that was put before the call. */
  async #inOrder(): Promise<readonly string[]> {
    while (this.#added.length > 0 || this.#ordering) {
      this.#ordering ??= this.#orderAdded().finally(() => {
        this.#ordering = undefined
      })
      await this.#ordering
    }
    return this.#order
  }

  async #orderAdded(): Promise<void> {
    const turns = new Turns()
    const added = this.#added
    this.#added = []
    this.#order = await mergedTexts(this.#order, await sortedTexts(added, turns), turns)
  }

  get size(): number {
    return this.#held.size
  }
}
