import type { Clock } from '../../lib/clock.ts'
import { homeOf } from '../../lib/networks.ts'
import { MINUTE } from '../../lib/unix-time.ts'
import type { Registry } from '../../registry/tables.ts'
import { insertGathered, type NewTrace } from './entries.ts'

type Parts = {
  registry: Registry
  clock: Clock
  hasRoom: () => boolean
}

/** Entries about refused callers are limited in each window, so that nobody can fill the disk. */
const WINDOW_MS = 10 * MINUTE
const MAX_ENTRIES_PER_CALLER = 10
/** Separate limits, so that unknown callers cannot use up the entries for signed-in ones. */
const MAX_ENTRIES = { strangers: 200, signedIn: 500 }

/** The caller that was refused: an account, or the address of an unknown caller. */
export type RefusedCaller = { owner: string } | { address: string }

type Group = { entries: NewTrace[]; written: Promise<void> }

/** Writes the trace in groups: the next group gathers while one is written. [ADR-0023] */
export class TraceRecorder {
  readonly #parts: Parts
  #group: Group | undefined
  #writing: Promise<void> = Promise.resolve()
  #counts = new Map<string, number>()
  #counted = { strangers: 0, signedIn: 0 }
  #windowEnd = 0
  /** Entries that were dropped since the start because of the limits. */
  dropped = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Resolves when the entries are stored. */
  record(entries: readonly NewTrace[]): Promise<void> {
    this.#group ??= this.#nextGroup()
    this.#group.entries.push(...entries)
    return this.#group.written
  }

  /** Whether one more entry about this refused caller may be written. */
  allows(refused: RefusedCaller): boolean {
    const now = this.#parts.clock()
    if (now >= this.#windowEnd) {
      this.#counts.clear()
      this.#counted = { strangers: 0, signedIn: 0 }
      this.#windowEnd = now + WINDOW_MS
    }
    const kind = 'owner' in refused ? 'signedIn' : 'strangers'
    const whose = 'owner' in refused ? refused.owner : homeOf(refused.address)
    const count = this.#counts.get(whose) ?? 0
    if (
      count >= MAX_ENTRIES_PER_CALLER ||
      this.#counted[kind] >= MAX_ENTRIES[kind] ||
      !this.#parts.hasRoom()
    ) {
      this.dropped++
      return false
    }
    this.#counts.set(whose, count + 1)
    this.#counted[kind]++
    return true
  }

  async flush(): Promise<void> {
    await this.#group?.written.catch(() => undefined)
    await this.#writing
  }

  #nextGroup(): Group {
    const entries: NewTrace[] = []
    const close = () => {
      if (this.#group === group) this.#group = undefined
      return entries
    }
    const written = this.#writing.then(() => insertGathered(this.#parts.registry, close))
    // Close the group also if it was never written.
    this.#writing = written.catch(() => undefined).finally(close)
    const group = { entries, written }
    return group
  }
}
