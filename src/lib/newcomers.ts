import { homeOf } from './networks.ts'
import { Tally } from './tally.ts'

export type NewcomerLimits = { inAll: number; perAddress: number }

/**
 * Of those who have not said who they are. Many honest ones come at once behind one address, when
 * the line of a proxy or a site comes back; each is here for a moment.
 */
export const newcomerLimits: NewcomerLimits = { inAll: 8000, perAddress: 4000 }

/** Connections of which nothing is known yet but where they come from; IPv6 by its /64. */
export class Newcomers {
  readonly #limits: NewcomerLimits
  readonly #byAddress = new Tally()

  constructor(limits: NewcomerLimits) {
    this.#limits = limits
  }

  /** To be called when it is known, or gone; undefined: there are too many. */
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
