import { setImmediate as nextRound } from 'node:timers/promises'
import type { Spool } from '../history/spool/spool.ts'
import { Fifo } from '../lib/fifo.ts'
import { Tally } from '../lib/tally.ts'

type Store = () => Promise<void>
/** What is stored together, with the bytes of each tenant. */
type StoredGroup = { stored: Promise<void> | undefined; bytes: Map<string, number> }
type Waiting = { bytes: number; store: Store; stored: PromiseWithResolvers<void> }

/**
 * Of one tenant on their way to the disk. A group has room for more, so that others are in it too.
 */
export const MAX_TENANT_BYTES = 2 * 1024 * 1024
/** Messages that stop waiting in one round of the event loop. */
const MESSAGES_PER_ROUND = 100

/**
 * Messages that wait for room in the spool. Tenants take turns, and the messages of one tenant keep
 * their order. So nobody waits behind the flood of another tenant.
 */
export class SpoolRoom {
  readonly #spool: Pick<Spool, 'isFull' | 'whenRoom'>
  readonly #bytes = new Tally()
  /** Tenants in the order of their turns. */
  readonly #waiting = new Map<string, Fifo<Waiting>>()
  #isTakingUp = false
  #group: StoredGroup = { stored: undefined, bytes: new Map() }

  constructor(spool: Pick<Spool, 'isFull' | 'whenRoom'>) {
    this.#spool = spool
  }

  /** Whether a message of the tenant may be stored now. If not, it has to `wait`. */
  isOpen(tenant: string): boolean {
    return !this.#waiting.has(tenant) && !this.#spool.isFull && this.#hasShare(tenant)
  }

  /** Counts the bytes for the tenant until `stored` settles. */
  hold(tenant: string, bytes: number, stored: Promise<void>): Promise<void> {
    this.#bytes.add(tenant, bytes)
    if (stored !== this.#group.stored) this.#group = this.#newGroup(stored)
    const group = this.#group.bytes
    group.set(tenant, (group.get(tenant) ?? 0) + bytes)
    return stored
  }

  /** Calls `store` when there is room, and settles as `store` does. */
  wait(tenant: string, bytes: number, store: Store): Promise<void> {
    const waiting = { bytes, store, stored: Promise.withResolvers<void>() }
    const queue = this.#waiting.get(tenant) ?? new Fifo<Waiting>()
    queue.push(waiting)
    this.#waiting.set(tenant, queue)
    void this.#takeUp()
    return waiting.stored.promise
  }

  #hasShare(tenant: string): boolean {
    return this.#bytes.of(tenant) < MAX_TENANT_BYTES
  }

  /** The bytes of messages that are stored together are released together. */
  #newGroup(stored: Promise<void>): StoredGroup {
    const bytes = new Map<string, number>()
    const release = () => {
      let isAwaited = false
      for (const [tenant, sum] of bytes) {
        this.#bytes.add(tenant, -sum)
        isAwaited ||= this.#waiting.has(tenant)
      }
      bytes.clear()
      if (this.#group.stored === stored) this.#group = { stored: undefined, bytes: new Map() }
      if (isAwaited) void this.#takeUp()
    }
    stored.then(release, release)
    return { stored, bytes }
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

  /** False if each tenant that waits is over its own share. */
  #takeUpSome(): boolean {
    let left = MESSAGES_PER_ROUND
    for (const [tenant, queue] of this.#waiting) {
      if (this.#spool.isFull || left === 0) return true
      if (!this.#hasShare(tenant)) continue
      const waiting = queue.shift()
      // The tenant goes behind the others.
      this.#waiting.delete(tenant)
      if (queue.size > 0) this.#waiting.set(tenant, queue)
      if (waiting) waiting.stored.resolve(this.hold(tenant, waiting.bytes, waiting.store()))
      left--
    }
    return false
  }
}
