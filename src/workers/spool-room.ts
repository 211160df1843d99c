import { setImmediate as nextRound } from 'node:timers/promises'
import type { Spool } from '../history/spool.ts'
import { Fifo } from '../lib/fifo.ts'
import { Tally } from '../lib/tally.ts'

type Store = () => Promise<void>
type Waiting = { bytes: number; store: Store; stored: PromiseWithResolvers<void> }

/** Of one tenant on their way to the disk: a part of a group, so that others come along with it. */
export const SHARE_BYTES = 2 * 1024 * 1024
/** Messages that are taken up in one round of the event loop. */
const PER_ROUND = 100

/**
 * Messages that wait for room in the spool, as they came. Tenants take turns, and what one sends
 * stays in its order: so nobody waits behind the flood of another.
 */
export class SpoolRoom {
  readonly #spool: Pick<Spool, 'isFull' | 'whenRoom'>
  readonly #bytes = new Tally()
  /** Whose turn is next comes first. */
  readonly #waiting = new Map<string, Fifo<Waiting>>()
  #isTakingUp = false

  constructor(spool: Pick<Spool, 'isFull' | 'whenRoom'>) {
    this.#spool = spool
  }

  /** Settles as `store` does, which is called at once when there is room. */
  enter(tenant: string, bytes: number, store: Store): Promise<void> {
    const queue = this.#waiting.get(tenant)
    if (!queue && !this.#spool.isFull && this.#hasShare(tenant)) {
      return this.#store(tenant, bytes, store)
    }
    const waiting = { bytes, store, stored: Promise.withResolvers<void>() }
    if (queue) queue.push(waiting)
    else {
      const begun = new Fifo<Waiting>()
      begun.push(waiting)
      this.#waiting.set(tenant, begun)
    }
    void this.#takeUp()
    return waiting.stored.promise
  }

  #hasShare(tenant: string): boolean {
    return this.#bytes.of(tenant) < SHARE_BYTES
  }

  #store(tenant: string, bytes: number, store: Store): Promise<void> {
    this.#bytes.add(tenant, bytes)
    const stored = store()
    const release = () => {
      this.#bytes.add(tenant, -bytes)
      if (this.#waiting.has(tenant)) void this.#takeUp()
    }
    stored.then(release, release)
    return stored
  }

  async #takeUp(): Promise<void> {
    if (this.#isTakingUp) return
    this.#isTakingUp = true
    do {
      await this.#spool.whenRoom()
      await nextRound()
    } while (this.#takeUpSome())
    this.#isTakingUp = false
  }

  /** False when everyone who waits does so for its own messages. */
  #takeUpSome(): boolean {
    let left = PER_ROUND
    for (const [tenant, queue] of this.#waiting) {
      if (this.#spool.isFull || left === 0) return true
      if (!this.#hasShare(tenant)) continue
      const waiting = queue.shift()
      // Behind the others.
      this.#waiting.delete(tenant)
      if (queue.size > 0) this.#waiting.set(tenant, queue)
      if (waiting) waiting.stored.resolve(this.#store(tenant, waiting.bytes, waiting.store))
      left--
    }
    return false
  }
}
