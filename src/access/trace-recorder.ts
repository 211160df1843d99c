import type { Clock } from '../lib/clock.ts'
import { homeOf } from '../lib/networks.ts'
import { MINUTE } from '../lib/unix-time.ts'
import type { Registry } from '../registry/tables.ts'
import { insertGathered, type NewTrace } from '../registry/trace.ts'

type Parts = {
  registry: Registry
  clock: Clock
  hasRoom: () => boolean
}

/** What anybody can cause without being let in is bounded, so that nobody can fill the disk. */
const WINDOW = 10 * MINUTE
const EACH = 10
/** Apart, so that strangers cannot keep what members do out of the trace. */
const ALL = { strangers: 200, signedIn: 500 }

/** Who was not let in: an account, or an address that nobody knows. */
export type Refused = { owner: string } | { address: string }

type Group = { entries: NewTrace[]; written: Promise<void> }

/** Writes the trace in groups: while one is written the next gathers. [ADR-0023] */
export class TraceRecorder {
  readonly #parts: Parts
  #group: Group | undefined
  #writing: Promise<void> = Promise.resolve()
  #counts = new Map<string, number>()
  #counted = { strangers: 0, signedIn: 0 }
  #windowEnd = 0
  /** Entries that would have been too many, since the start. */
  dropped = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Resolves when they are stored. */
  record(entries: readonly NewTrace[]): Promise<void> {
    this.#group ??= this.#nextGroup()
    this.#group.entries.push(...entries)
    return this.#group.written
  }

  /** Whether one more entry may be made by somebody who was not let in. */
  allows(refused: Refused): boolean {
    const now = this.#parts.clock()
    if (now >= this.#windowEnd) {
      this.#counts.clear()
      this.#counted = { strangers: 0, signedIn: 0 }
      this.#windowEnd = now + WINDOW
    }
    const kind = 'owner' in refused ? 'signedIn' : 'strangers'
    const whose = 'owner' in refused ? refused.owner : homeOf(refused.address)
    const count = this.#counts.get(whose) ?? 0
    if (count >= EACH || this.#counted[kind] >= ALL[kind] || !this.#parts.hasRoom()) {
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
    // Also when its turn never came.
    this.#writing = written.catch(() => undefined).finally(close)
    const group = { entries, written }
    return group
  }
}
