import { Tally } from '../../lib/tally.ts'

/** What an installation or an organization has a quota for. */
export type Charged = 'connections' | 'filters'
/** How much a payer may have. */
export type LimitOf = (payer: string, what: Charged) => number

/** What each payer is charged for. If something has several payers, all of them must have room. */
export class BrokerCharges {
  readonly #sums = { connections: new Tally(), filters: new Tally() }
  readonly #limitOf: LimitOf

  constructor(limitOf: LimitOf) {
    this.#limitOf = limitOf
  }

  of(what: Charged, payer: string): number {
    return this.#sums[what].of(payer)
  }

  /** A negative amount gives back. */
  charge(what: Charged, payers: readonly string[], amount: number): void {
    for (const payer of payers) this.#sums[what].add(payer, amount)
  }

  /**
   * The first payer that has no room for one more. `returned` is what becomes free at the same
   * time.
   */
  whoIsFull(what: Charged, payers: readonly string[], returned = 0): string | undefined {
    return payers.find((payer) => this.of(what, payer) - returned >= this.#limitOf(payer, what))
  }
}
