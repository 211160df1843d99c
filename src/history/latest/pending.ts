import type { UnixMs } from '../../lib/unix-time.ts'
import type { Held } from '../history.ts'
import { isNewer } from '../newest.ts'

/**
 * Of a stretch. Two take about as much memory as the cache may have. While history takes no samples
 * and more topics than this get a value, the others show what history has.
 */
export const MAX_PENDING = 100_000

/** The newest values of a stretch of time, by installation and topic. */
type Stretch = { values: Map<number, Map<string, Held>>; size: number; lastId: number }

/**
 * The newest value of each topic that is acknowledged and not in history yet. A stretch is dropped
 * as a whole when history has all of it, because forgetting each value would cost every message.
 */
export class Pending {
  /** In order. Values are put into the last one. */
  #stretches: Stretch[] = []
  /** Samples up to this id are in history. */
  #movedId = 0

  put(held: Held, now: UnixMs): void {
    const stretch = this.#stretches.at(-1) ?? this.#begin()
    let values = stretch.values.get(held.installation_id)
    const before = values?.get(held.topic)
    if (before) {
      if (!isNewer(held, before, now)) return
    } else if (stretch.size >= MAX_PENDING) return
    else stretch.size++
    if (!values) {
      values = new Map()
      stretch.values.set(held.installation_id, values)
    }
    values.set(held.topic, held)
    stretch.lastId = held.id
  }

  /** A topic may have several values. */
  *of(installationId: number): Generator<Held> {
    for (const { values } of this.#stretches) {
      for (const held of values.get(installationId)?.values() ?? []) {
        if (held.id > this.#movedId) yield held
      }
    }
  }

  /** At least as many topics as have a value here. */
  topicsOf(installationId: number): number {
    let topics = 0
    for (const _ of this.of(installationId)) topics++
    return topics
  }

  /** Samples up to this id are in history. */
  moved(lastId: number): void {
    this.#movedId = lastId
    this.#stretches = this.#stretches.filter((stretch) => stretch.lastId > lastId)
    // Two are enough: one that is on its way to history, and one that takes values.
    if (this.#stretches.length === 1) this.#begin()
  }

  erase(installationId: number): void {
    for (const stretch of this.#stretches) {
      stretch.size -= stretch.values.get(installationId)?.size ?? 0
      stretch.values.delete(installationId)
    }
  }

  #begin(): Stretch {
    const stretch = { values: new Map(), size: 0, lastId: 0 }
    this.#stretches.push(stretch)
    return stretch
  }
}
