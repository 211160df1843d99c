import { Tally } from '../lib/tally.ts'

/** What an installation or an organization has only so much of, over all of its owners. */
export type Charged = 'connections' | 'filters'
/** How much a payer may have, by its name. */
export type LimitOf = (payer: string, what: Charged) => number

/** What payers are charged for; one thing may have several, who all must have room. */
export class Charges {
  readonly #sums = { connections: new Tally(), filters: new Tally() }
  readonly #limitOf: LimitOf

  constructor(limitOf: LimitOf) {
    this.#limitOf = limitOf
  }

  of(what: Charged, payer: string): number {
    return this.#sums[what].of(payer)
  }

  /** Less than nothing gives back. */
  charge(what: Charged, payers: readonly string[], amount: number): void {
    for (const payer of payers) this.#sums[what].add(payer, amount)
  }

  /** The first of them that has no room for one more. `returned`: what becomes free by it. */
  whoIsFull(what: Charged, payers: readonly string[], returned = 0): string | undefined {
    return payers.find((payer) => this.of(what, payer) - returned >= this.#limitOf(payer, what))
  }
}
