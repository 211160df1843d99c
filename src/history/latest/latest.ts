import type { Clock } from '../../lib/clock.ts'
import { ownText } from '../../lib/own-text.ts'
import type { Sample } from '../../lib/sample.ts'
import { Turns } from '../../lib/turns.ts'
import { SECOND, type UnixMs } from '../../lib/unix-time.ts'
import { type Freshness, type Held, type History, MAX_SHORT_MSG_CHARACTERS } from '../history.ts'
import { LongMessages } from './long-messages.ts'
import { Pending } from './pending.ts'
import { Pulse } from './pulse.ts'
import { Topics } from './topics.ts'

type Options = {
  history: Pick<History, 'latestIn' | 'freshness'>
  clock: Clock
  /** Other nodes store samples too. */
  isShared: boolean
  /** Of memory for the installations that were asked for last. */
  maxBytes: number
}

/** Values of other nodes are seen after this time and the time that a node needs to store them. */
const MAX_AGE_MS = SECOND

/** `readAt` is by a clock that only goes forward. `bytes`: as they were counted last. */
type Cached = { topics: Topics; readAt: number; bytes: number }
type Reading = { topics: Topics; whole: Promise<Topics> }

/**
 * [ADR-0060] The newest sample of every topic. History has the table; `isNewer` decides. In memory
 * are what is not in history yet, and the installations that were asked for last.
 */
export class Latest {
  readonly #options: Options
  readonly #pending = new Pending()
  readonly #long = new LongMessages()
  readonly #pulse: Pulse
  /** The one that nobody asked for longest is the first. */
  readonly #cached = new Map<number, Cached>()
  readonly #readings = new Map<number, Reading>()
  #bytes = 0

  constructor(options: Options) {
    this.#options = options
    this.#pulse = new Pulse(options.clock())
  }

  /** Samples that are acknowledged. `isPending`: they are not in history yet. */
  put(samples: Iterable<Sample>, { isPending = true } = {}): void {
    const now = this.#options.clock()
    for (const sample of samples) {
      const held = heldOf(sample)
      if (isPending) this.#pending.put(held, now)
      this.#note(held, now)
      if (held.msg === undefined) this.#long.keep(sample)
      this.#pulse.beat(sample.installation_id, now)
    }
  }

  /** A sample that nobody sent now, and that is in history. */
  stored(sample: Sample): void {
    this.#note(heldOf(sample), this.#options.clock())
  }

  /** Samples that were put up to this id are in history. */
  moved(lastId: number): void {
    this.#pending.moved(lastId)
  }

  /** The latest values of an installation. They stay up to date while it is in memory. */
  async open(installationId: number): Promise<Topics> {
    const cached = this.#cached.get(installationId)
    if (cached && this.#isFresh(cached)) {
      this.#cached.delete(installationId)
      this.#cached.set(installationId, cached)
      this.#count(cached)
      return cached.topics
    }
    const { whole } = this.#readings.get(installationId) ?? this.#read(installationId)
    if (!cached) return whole
    // Old values are better than none while history does not answer.
    return whole.catch(() => cached.topics)
  }

  /** The topics of an installation that match a filter, sorted. Undefined filters match all. */
  async topics(
    installationId: number,
    filters: readonly string[] | undefined
  ): Promise<readonly string[]> {
    return (await this.open(installationId)).matching(filters)
  }

  /** The values without waiting, if they are in memory. Values of other nodes may be missing. */
  cached(installationId: number): Topics | undefined {
    return this.#cached.get(installationId)?.topics
  }

  /** The whole message, when it is one of the newest long messages. */
  recentMsg(held: Held): string | undefined {
    return this.#long.find(held)
  }

  /** At least the topics with a value that is not in history yet. History may know them too. */
  pendingTopics(installationId: number): number {
    return this.#pending.topicsOf(installationId)
  }

  /** The values per minute that this node acknowledged. */
  perMinute(installationId: number): number {
    return this.#pulse.perMinute(installationId, this.#options.clock())
  }

  /**
   * Of those that have values, in any order. Ask for a few hundred at once. What is not in history
   * yet counts only if the installation is in memory.
   */
  async freshness(
    installationIds: readonly number[],
    silentSince: UnixMs,
    turns = new Turns()
  ): Promise<Freshness[]> {
    const found: Freshness[] = []
    const others: number[] = []
    for (const installation_id of installationIds) {
      const cached = this.#cached.get(installation_id)
      if (!cached || !this.#isFresh(cached)) others.push(installation_id)
      else {
        const fresh = await cached.topics.freshness(silentSince, turns)
        if (fresh) found.push({ installation_id, ...fresh })
      }
    }
    if (others.length === 0) return found
    return [...found, ...(await this.#options.history.freshness(others, silentSince))]
  }

  /** History has changed in another way than by new samples. */
  forget(installationId: number): void {
    this.#drop(installationId)
    this.#readings.delete(installationId)
  }

  erase(installationId: number): void {
    this.forget(installationId)
    this.#pending.erase(installationId)
    this.#pulse.forget(installationId)
  }

  /** Of memory for installations, about. */
  get bytes(): number {
    return this.#bytes
  }

  #isFresh({ readAt }: Cached): boolean {
    return !this.#options.isShared || performance.now() - readAt < MAX_AGE_MS
  }

  #note(held: Held, now: UnixMs): void {
    this.#readings.get(held.installation_id)?.topics.put(held, now)
    const cached = this.#cached.get(held.installation_id)
    if (!cached) return
    cached.topics.put(held, now)
    this.#count(cached)
  }

  #count(cached: Cached): void {
    const { bytes } = cached.topics
    if (bytes === cached.bytes) return
    this.#bytes += bytes - cached.bytes
    cached.bytes = bytes
    this.#makeRoom()
  }

  #read(installationId: number): Reading {
    const topics = new Topics()
    const readAt = performance.now()
    const reading: Reading = {
      topics,
      whole: this.#fill(installationId, topics).then(
        () => {
          this.#keep(installationId, reading, readAt)
          return topics
        },
        (error) => {
          if (this.#readings.get(installationId) === reading) this.#readings.delete(installationId)
          throw error
        }
      )
    }
    this.#readings.set(installationId, reading)
    return reading
  }

  /**
   * What is not in history when it begins is pending now. What is acknowledged from now on comes by
   * `put`.
   */
  async #fill(installationId: number, topics: Topics): Promise<void> {
    const { history, clock } = this.#options
    const turns = new Turns()
    const now = clock()
    for (const held of [...this.#pending.of(installationId)]) {
      topics.put(held, now)
      if (turns.isOver()) await turns.next()
    }
    for (let after = ''; ; ) {
      const part = await history.latestIn(installationId, after)
      const last = part.at(-1)
      if (!last) return
      for (const held of part) topics.put(held, now)
      after = last.topic
      if (turns.isOver(part.length)) await turns.next()
    }
  }

  /** Not if history has changed meanwhile. */
  #keep(installationId: number, reading: Reading, readAt: number): void {
    if (this.#readings.get(installationId) !== reading) return
    this.#readings.delete(installationId)
    this.#drop(installationId)
    const cached = { topics: reading.topics, readAt, bytes: 0 }
    this.#cached.set(installationId, cached)
    this.#count(cached)
  }

  #makeRoom(): void {
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= this.#options.maxBytes || this.#cached.size === 1) return
      this.#drop(oldest)
    }
  }

  #drop(installationId: number): void {
    this.#bytes -= this.#cached.get(installationId)?.bytes ?? 0
    this.#cached.delete(installationId)
  }
}

const heldOf = (sample: Sample): Held => {
  const { msg } = sample
  if (msg === '') return sample
  return { ...sample, msg: msg.length > MAX_SHORT_MSG_CHARACTERS ? undefined : ownText(msg) }
}
