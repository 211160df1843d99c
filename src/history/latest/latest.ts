import type { Clock } from '../../lib/clock.ts'
import { ownText } from '../../lib/own-text.ts'
import type { Sample } from '../../lib/sample.ts'
import { hasWildcard } from '../../lib/topic.ts'
import { matchingTopics } from '../../lib/topic-walk.ts'
import { Turns } from '../../lib/turns.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import { isNewer } from '../newest.ts'
import { Pulse } from './pulse.ts'
import { mergedTexts, sortedTexts } from './sorted-texts.ts'

/** A message of up to so many characters stays in memory with its topic. */
export const MAX_SHORT_MSG_CHARACTERS = 256
/** The newest long messages that stay in memory. Most are not in history yet. */
const MAX_RECENT_BYTES = 16 * 1024 * 1024

/** So many values of an installation are shown in one turn of the event loop. */
const MAX_FEW = 256

/** `silent`: topics without a value since a given time. `last`: the time of the newest value. */
export type Freshness = { topics: number; silent: number; last: UnixMs | undefined }

export type Stretch = { from: UnixMs; to: UnixMs }

/** The newest sample of a topic; `msg` is undefined when the message is long. */
export type Held = Omit<Sample, 'msg'> & { readonly msg: string | undefined }

/**
 * The newest sample of every topic, in memory; `isNewer` decides. History and spool rebuild it at
 * the start. Long messages stay on disk; `latestTexts` reads them.
 */
export class Latest {
  readonly #installations = new Map<number, Topics>()
  /** Oldest first. */
  readonly #recent = new Map<Held, string>()
  #recentBytes = 0
  readonly #clock: Clock
  readonly #pulse: Pulse
  #tell: (sample: Sample) => void = () => {}
  #tellCount: (installationId: number, change: number) => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
    this.#pulse = new Pulse(clock())
  }

  /** Calls `tell` with each sample of `put` that became the newest of its topic. */
  onNewer(tell: (sample: Sample) => void): void {
    this.#tell = tell
  }

  /** Calls `tell` when the number of topics of an installation changes. */
  onCount(tell: (installationId: number, change: number) => void): void {
    this.#tellCount = tell
  }

  put(sample: Sample): void {
    if (!this.load(sample)) return
    this.#pulse.beat(sample.installation_id, this.#clock())
    this.#tell(sample)
  }

  /** Like `put`, but does not report the sample. True when it became the newest. */
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
   * The topics that ever had a sample and match a filter, sorted. Undefined filters match all
   * topics. Filters are full topics and may have wildcards.
   */
  async topics(
    installationId: number,
    filters: readonly string[] | undefined
  ): Promise<readonly string[]> {
    return (await this.#installations.get(installationId)?.matching(filters)) ?? []
  }

  /** All samples, sorted by topic, when they are few and already sorted. */
  few(installationId: number): readonly Held[] | undefined {
    return this.#installations.get(installationId)?.few()
  }

  find(installationId: number, topic: string): Held | undefined {
    return this.#installations.get(installationId)?.find(topic)
  }

  /** The whole message, when it is one of the newest long messages. */
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

  /** The values per minute that became the newest of their topics. */
  perMinute(installationId: number): number {
    return this.#pulse.perMinute(installationId, this.#clock())
  }

  async freshness(installationId: number, silentSince: UnixMs, turns: Turns): Promise<Freshness> {
    const topics = this.#installations.get(installationId)
    return topics?.freshness(silentSince, turns) ?? { topics: 0, silent: 0, last: undefined }
  }

  /** The values whose time is in a stretch, both ends inclusive. */
  async within(installationId: number, { from, to }: Stretch): Promise<Held[]> {
    return (await this.#installations.get(installationId)?.within(from, to)) ?? []
  }

  /**
   * Puts a sample in the place of a removed one, or nothing. If another sample came meanwhile, that
   * one stays.
   */
  replace(removed: Held, sample: Sample | undefined): void {
    const topics = this.#installations.get(removed.installation_id)
    if (topics?.find(removed.topic) !== removed) return
    this.#forget(removed)
    if (!sample) {
      topics.drop(removed.topic)
      this.#tellCount(removed.installation_id, -1)
      return
    }
    const held = topics.put(sample, removed)
    if (held.msg === undefined) this.#remember(held, sample.msg)
  }

  erase(installationId: number): void {
    this.#pulse.forget(installationId)
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

/** A character takes at most two bytes. */
const bytesOf = (msg: string): number => 2 * msg.length

/** The topics of one installation. They are sorted when a caller asks. */
class Topics {
  readonly #held = new Map<string, Held>()
  #order: readonly string[] = []
  /** New topics that are not in `#order` yet. */
  #added: string[] = []
  /** Topics in `#order` may be gone. */
  #hasGone = false
  #ordering: Promise<void> | undefined

  put(sample: Sample, before: Held | undefined): Held {
    const { id, installation_id, client_id, timestamp, value } = sample
    const topic = before?.topic ?? ownText(sample.topic)
    const msg = sample.msg.length > MAX_SHORT_MSG_CHARACTERS ? undefined : ownText(sample.msg)
    const held = { id, installation_id, client_id, topic, timestamp, value, msg }
    this.#held.set(topic, held)
    if (!before) this.#added.push(topic)
    return held
  }

  find(topic: string): Held | undefined {
    return this.#held.get(topic)
  }

  drop(topic: string): void {
    this.#held.delete(topic)
    this.#hasGone = true
  }

  async within(from: UnixMs, to: UnixMs): Promise<Held[]> {
    const turns = new Turns()
    const found: Held[] = []
    for (const held of this.#held.values()) {
      if (held.timestamp >= from && held.timestamp <= to) found.push(held)
      if (turns.isOver()) await turns.next()
    }
    return found
  }

  few(): readonly Held[] | undefined {
    const isSorted = !this.#hasGone && !this.#ordering && this.#order.length >= this.size
    if (this.size > MAX_FEW || !isSorted) return undefined
    const few: Held[] = []
    for (const topic of this.#order) {
      const held = this.#held.get(topic)
      if (held) few.push(held)
    }
    return few
  }

  async freshness(silentSince: UnixMs, turns: Turns): Promise<Freshness> {
    let silent = 0
    let last: UnixMs | undefined
    for (const { timestamp } of this.#held.values()) {
      if (timestamp < silentSince) silent++
      if (timestamp > (last ?? Number.NEGATIVE_INFINITY)) last = timestamp
      if (turns.isOver()) await turns.next()
    }
    return { topics: this.size, silent, last }
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

  /** All topics that were put before this call, sorted. */
  async #inOrder(): Promise<readonly string[]> {
    while (this.#added.length > 0 || this.#hasGone || this.#ordering) {
      this.#ordering ??= this.#orderAdded().finally(() => {
        this.#ordering = undefined
      })
      await this.#ordering
    }
    return this.#order
  }

  async #orderAdded(): Promise<void> {
    const turns = new Turns()
    const { added, hasGone } = { added: this.#added, hasGone: this.#hasGone }
    this.#added = []
    this.#hasGone = false
    const merged = await mergedTexts(this.#order, await sortedTexts(added, turns), turns)
    this.#order = hasGone ? await this.#known(merged, turns) : merged
  }

  async #known(topics: readonly string[], turns: Turns): Promise<string[]> {
    const known: string[] = []
    for (const topic of topics) {
      if (this.#held.has(topic)) known.push(topic)
      if (turns.isOver()) await turns.next()
    }
    return known
  }

  get size(): number {
    return this.#held.size
  }
}
