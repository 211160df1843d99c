import { Fifo } from '../lib/fifo.ts'

/** Of all tenants in one round of the event loop; a step takes some ten microseconds. */
const STEPS_PER_ROUND = 100
/** Of one tenant, when nothing of it waits; so there is something left for who comes behind it. */
const STEPS_AT_ONCE = 25
/** Of one tenant, until the next one has its turn. */
const STEPS_PER_TURN = 16

/** Answers how many steps it took. */
type Work = () => number
type Waiting = { work: Fifo<Work>; reads: Fifo<Work> }

/**
 * The work that messages make, a little of it in each round of the event loop. Tenants take turns,
 * so a tenant with much to do waits for itself, and one with little is served at once.
 */
export class TenantTurns {
  /** Whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting>()
  /** What was done at once in this round, by tenant. */
  readonly #atOnce = new Map<string, number>()
  #left = STEPS_PER_ROUND
  #isAsked = false

  /** Work for what was read. All of a tenant's is done in the order it was asked for. */
  take(tenant: string, work: Work): void {
    this.#add(tenant, 'work', work)
  }

  /** Of a tenant that has more to do nothing more is read: it would only wait, in memory. */
  read(tenant: string, read: Work): void {
    this.#add(tenant, 'reads', read)
  }

  #add(tenant: string, kind: keyof Waiting, work: Work): void {
    this.#ask()
    const atOnce = this.#atOnce.get(tenant) ?? 0
    let waiting = this.#waiting.get(tenant)
    if (!waiting && this.#left > 0 && atOnce < STEPS_AT_ONCE) {
      // One step before: the work may ask for more.
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
      // It stays while it works, so that what is asked for meanwhile comes behind.
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
