import { Fifo } from '../../lib/fifo.ts'

/** Of all tenants in one round of the event loop. A step takes about ten microseconds. */
const STEPS_PER_ROUND = 100
/** Of one tenant in one round before its work must wait. So something is left for the others. */
const STEPS_AT_ONCE = 25
/** Of one tenant in its turn. Then the next tenant has its turn. */
const STEPS_PER_TURN = 16

/** Returns how many steps it took. */
type Work = () => number
type Waiting = { work: Fifo<Work>; reads: Fifo<Work> }

/**
 * The work that messages make, a little of it in each round of the event loop. Tenants take turns.
 * So a tenant with much work waits for its own work only, and one with little work is served at
 * once.
 */
export class TenantTurns {
  /** Tenants in the order of their turns. */
  readonly #waiting = new Map<string, Waiting>()
  /** Steps that were done without a wait in this round, by tenant. */
  readonly #atOnce = new Map<string, number>()
  #left = STEPS_PER_ROUND
  #isAsked = false

  /** Work for messages that were read. The work of one tenant is done in the order of the calls. */
  take(tenant: string, work: Work): void {
    this.#add(tenant, 'work', work)
  }

  /** Reads on when the tenant has no other work. New messages would only wait in memory. */
  read(tenant: string, read: Work): void {
    this.#add(tenant, 'reads', read)
  }

  #add(tenant: string, kind: keyof Waiting, work: Work): void {
    this.#ask()
    const atOnce = this.#atOnce.get(tenant) ?? 0
    let waiting = this.#waiting.get(tenant)
    if (!waiting && this.#left > 0 && atOnce < STEPS_AT_ONCE) {
      // Count one step before the work, because the work may call this again.
      this.#atOnce.set(tenant, atOnce + 1)
      const steps = this.#do(work)
      this.#atOnce.set(tenant, (this.#atOnce.get(tenant) ?? 0) + steps - 1)
      return
    }
    waiting ??= { work: new Fifo(), reads: new Fifo() }
    waiting[kind].push(work)
    this.#waiting.set(tenant, waiting)
  }

  #ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    setImmediate(() => {
      this.#isAsked = false
      this.#round()
    })
  }

  #round(): void {
    this.#left = STEPS_PER_ROUND
    this.#atOnce.clear()
    for (const [tenant, waiting] of this.#waiting) {
      // The tenant stays in the map while it works, so that new work comes behind.
      this.#waiting.delete(tenant)
      this.#waiting.set(tenant, waiting)
      const { work, reads } = waiting
      for (let steps = 0; steps < STEPS_PER_TURN; ) {
        const next = work.shift() ?? reads.shift()
        if (!next) break
        steps += this.#do(next)
      }
      if (work.size === 0 && reads.size === 0) this.#waiting.delete(tenant)
      if (this.#left <= 0) break
    }
    if (this.#waiting.size > 0) this.#ask()
  }

  #do(work: Work): number {
    const steps = work()
    this.#left -= steps
    return steps
  }
}
