import { createHash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { homeOf } from '../lib/networks.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { HOUR, MINUTE } from '../lib/unix-time.ts'

type Limits = { windowMs: number; perAccount: number; perAddress: number }

const SIGN_IN: Limits = { windowMs: 5 * MINUTE, perAccount: 10, perAddress: 100 }
export const REGISTRATION: Limits = { windowMs: HOUR, perAccount: 5, perAddress: 100 }

/**
 * Failed tries in the last minutes, by account and address, and by address alone. So somebody who
 * guesses from another address cannot lock out the owner. An empty address means unknown.
 */
export class Throttle {
  /** By a digest of account and address. */
  readonly #accounts: RateLimit<string>
  readonly #addresses: RateLimit<string>

  constructor(clock: Clock, { windowMs, perAccount, perAddress } = SIGN_IN) {
    this.#accounts = new RateLimit(clock, { most: perAccount, windowMs })
    this.#addresses = new RateLimit(clock, { most: perAddress, windowMs })
  }

  /** Seconds until another try is allowed; 0 means now. */
  wait(account: string, from: string): number {
    const address = homeOf(from)
    return Math.max(
      this.#accounts.wait(accountKey(account, address)),
      address === '' ? 0 : this.#addresses.wait(address)
    )
  }

  /** Counts a failed try. `succeeded` takes it back. */
  tried(account: string, from: string): void {
    const address = homeOf(from)
    this.#accounts.count(accountKey(account, address))
    if (address !== '') this.#addresses.count(address)
  }

  /** Takes back the try that `tried` counted, and forgets the failures of the account. */
  succeeded(account: string, from: string): void {
    this.forget(account, from)
    this.#addresses.takeBack(homeOf(from))
  }

  /** Forgets the failures of the account from this address. Those of the address itself stay. */
  forget(account: string, from: string): void {
    this.#accounts.forget(accountKey(account, homeOf(from)))
  }
}

/** A digest, because names may be long. */
const accountKey = (account: string, address: string): string =>
  createHash('sha256').update(`${account.toLowerCase()} ${address}`).digest('base64')
