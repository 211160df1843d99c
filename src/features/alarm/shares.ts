import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type { Claims } from '../../registry/claims.ts'
import type { Registry } from '../../registry/tables.ts'
import { PARTITIONS, takePartitions } from './partitions.ts'
import type { Watching } from './watching.ts'

type Parts = {
  registry: Registry
  claims: Claims
  watching: Watching
  clock: Clock
  /** Its states must be read. */
  onTaken: (partitions: readonly number[]) => void
}

const SHARE_EVERY_MS = SECOND

/** The partitions that this node watches. Nodes share them evenly, and take those of a dead node. */
export class Shares {
  readonly #parts: Parts
  /** This run of this node, as the registry knows it. */
  readonly holder = randomUUID()
  readonly #held = new Set<number>()
  #sharedAt = Number.NEGATIVE_INFINITY
  /** There is no other node. */
  isAlone = true

  constructor(parts: Parts) {
    this.#parts = parts
  }

  holds(partition: number): boolean {
    return this.#held.has(partition)
  }

  /** Once a second. `flush` writes everything; it is called before partitions are given away. */
  async share(flush: () => Promise<void>): Promise<{ taken: number[]; lost: boolean }> {
    if (performance.now() - this.#sharedAt < SHARE_EVERY_MS) return { taken: [], lost: false }
    const nodes = await this.#parts.claims.nodes()
    if (nodes === undefined) return { taken: [], lost: false }
    this.isAlone = nodes <= 1
    const share = Math.ceil(PARTITIONS / Math.max(1, nodes))
    const lost = await this.#dropLost()
    const taken = await this.#take(share)
    const surplus = [...this.#held].slice(share)
    if (surplus.length > 0) await this.#giveBack(surplus, flush)
    this.#sharedAt = performance.now()
    return { taken, lost }
  }

  /** Another node has written states of these partitions, so what is in memory is old. */
  loseAll(): void {
    for (const number of this.#held) this.#parts.watching.drop(number)
    this.#held.clear()
    this.#sharedAt = Number.NEGATIVE_INFINITY
  }

  /** Everything is written. */
  async releaseAll(): Promise<void> {
    await this.#giveBack([...this.#held], () => Promise.resolve())
  }

  async #dropLost(): Promise<boolean> {
    const { claims, watching } = this.#parts
    let isLost = false
    for (const number of [...this.#held]) {
      if ((await claims.take(`alarms ${number}`)) || claims.failure !== undefined) continue
      isLost = true
      this.#held.delete(number)
      watching.drop(number)
    }
    return isLost
  }

  async #take(share: number): Promise<number[]> {
    const { claims, watching, registry, clock, onTaken } = this.#parts
    const claimed: number[] = []
    for (let number = 0; number < PARTITIONS; number++) {
      if (this.#held.size + claimed.length >= share) break
      if (this.#held.has(number) || !(await claims.take(`alarms ${number}`))) continue
      claimed.push(number)
    }
    if (claimed.length === 0) return []
    const rows = await takePartitions(registry, claimed, { holder: this.holder, now: clock() })
    for (const row of rows) {
      watching.hold(row)
      this.#held.add(row.number)
    }
    onTaken(claimed)
    return claimed
  }

  async #giveBack(numbers: readonly number[], flush: () => Promise<void>): Promise<void> {
    const { claims, watching } = this.#parts
    await flush()
    for (const number of numbers) {
      this.#held.delete(number)
      watching.drop(number)
      await claims.release(`alarms ${number}`)
    }
  }
}
