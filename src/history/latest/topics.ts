import { ownText } from '../../lib/own-text.ts'
import { hasWildcard } from '../../lib/topic.ts'
import { matchingTopics } from '../../lib/topic-walk.ts'
import { Turns } from '../../lib/turns.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { Freshness, Held } from '../history.ts'
import { isNewer } from '../newest.ts'
import { mergedTexts, sortedTexts } from './sorted-texts.ts'

/** So many values of an installation are shown in one turn of the event loop. */
const MAX_FEW = 256

/** Of memory. With a topic of 35 characters, a value takes 250 bytes, measured. */
const VALUE_BYTES = 180

/** The newest sample of every topic of one installation. They are sorted when a caller asks. */
export class Topics {
  readonly #held = new Map<string, Held>()
  #order: readonly string[] = []
  /** New topics that are not in `#order` yet. */
  #added: string[] = []
  #ordering: Promise<void> | undefined
  #text: string | undefined
  /** Rises with each value. */
  changes = 0
  /** Of memory, about. */
  bytes = 0

  put(held: Held, now: UnixMs): void {
    const before = this.#held.get(held.topic)
    if (before && !isNewer(held, before, now)) return
    const { id, installation_id, client_id, timestamp, value } = held
    const topic = before?.topic ?? ownText(held.topic)
    const msg = held.msg && ownText(held.msg)
    const kept = { id, installation_id, client_id, topic, timestamp, value, msg }
    this.#held.set(topic, kept)
    this.bytes += bytesOf(kept) - (before ? bytesOf(before) : 0)
    this.changes++
    this.#setText(undefined)
    if (!before) this.#added.push(topic)
  }

  has(topic: string): boolean {
    return this.#held.has(topic)
  }

  find(topic: string): Held | undefined {
    return this.#held.get(topic)
  }

  /** All values, sorted by topic, when they are few. */
  async few(): Promise<readonly Held[] | undefined> {
    if (this.size > MAX_FEW) return undefined
    const few: Held[] = []
    for (const topic of await this.#inOrder()) {
      const held = this.#held.get(topic)
      if (held) few.push(held)
    }
    return few
  }

  /** All values as they are shown, if `keepText` was called since the last one changed. */
  get text(): string | undefined {
    return this.#text
  }

  /** `changes` is from before the values were read. */
  keepText(text: string, changes: number): void {
    if (changes === this.changes) this.#setText(text)
  }

  #setText(text: string | undefined): void {
    this.bytes += (text?.length ?? 0) - (this.#text?.length ?? 0)
    this.#text = text
  }

  async freshness(
    silentSince: UnixMs,
    turns: Turns
  ): Promise<Omit<Freshness, 'installation_id'> | undefined> {
    let silent = 0
    let last: UnixMs | undefined
    for (const { timestamp } of this.#held.values()) {
      if (timestamp < silentSince) silent++
      if (last === undefined || timestamp > last) last = timestamp
      if (turns.isOver()) await turns.next()
    }
    return last === undefined ? undefined : { topics: this.size, silent, last }
  }

  /**
   * The topics that match a filter, sorted. Undefined filters match all topics. Filters are full
   * topics and may have wildcards.
   */
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

  get size(): number {
    return this.#held.size
  }

  /** All topics that were put before this call, sorted. */
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
}

const bytesOf = ({ topic, msg }: Held): number =>
  VALUE_BYTES + 2 * (topic.length + (msg?.length ?? 0))
