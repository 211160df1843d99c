import { homeOf } from './networks.ts'
import { Tally } from './tally.ts'

export type NewcomerLimits = { inAll: number; perAddress: number }

/**
 * Limits for connections that have not signed in. When a proxy or a site comes back, many honest
 * ones come at once from one address. Each stays here only for a moment.
 */
export const newcomerLimits: NewcomerLimits = { inAll: 8000, perAddress: 4000 }

/** Connections that have not signed in, counted by address; IPv6 by its /64. */
export class Newcomers {
  readonly #limits: NewcomerLimits
  readonly #byAddress = new Tally()

  constructor(limits: NewcomerLimits) {
    this.#limits = limits
  }

  /**
   * Answers a function to call when the connection has signed in or ended; undefined: there are too
   * many.
   */
  enter(from: string): (() => void) | undefined {
    const address = homeOf(from)
    const { inAll, perAddress } = this.#limits
    if (this.#byAddress.total >= inAll || this.#byAddress.of(address) >= perAddress)
      return undefined
    this.#byAddress.add(address, 1)
    let isHere = true
    return () => {
      if (isHere) this.#byAddress.add(address, -1)
      isHere = false
    }
  }
}
