import { Turns } from '../../lib/turns.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { Held } from '../history.ts'
import { isNewer } from '../newest.ts'

/**
 * They take about as much memory as the cache may have. While history takes no samples and more
 * topics than this get a value, the others show what history has.
 */
export const MAX_PENDING = 200_000

/** The newest value of each topic that is acknowledged and not in history yet. */
export class Pending {
  readonly #installations = new Map<number, Map<string, Held>>()
  /** By id, because ids grow. */
  readonly #inOrder = new Set<Held>()

  put(held: Held, now: UnixMs): void {
    let values = this.#installations.get(held.installation_id)
    const before = values?.get(held.topic)
    if (before) {
      if (!isNewer(held, before, now)) return
      this.#inOrder.delete(before)
    } else if (this.#inOrder.size >= MAX_PENDING) return
    if (!values) {
      values = new Map()
      this.#installations.set(held.installation_id, values)
    }
    values.set(held.topic, held)
    this.#inOrder.add(held)
  }

  of(installationId: number): ReadonlyMap<string, Held> {
    return this.#installations.get(installationId) ?? none
  }

  /** Samples up to this id are in history. */
  async moved(lastId: number): Promise<void> {
    const turns = new Turns()
    for (const held of this.#inOrder) {
      if (held.id > lastId) return
      this.#forget(held)
      if (turns.isOver()) await turns.next()
    }
  }

  erase(installationId: number): void {
    for (const held of this.of(installationId).values()) this.#inOrder.delete(held)
    this.#installations.delete(installationId)
  }

  #forget(held: Held): void {
    this.#inOrder.delete(held)
    const values = this.#installations.get(held.installation_id)
    values?.delete(held.topic)
    if (values?.size === 0) this.#installations.delete(held.installation_id)
  }
}

const none: ReadonlyMap<string, Held> = new Map()
