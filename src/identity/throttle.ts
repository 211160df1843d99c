import { createHash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { homeOf } from '../lib/networks.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { HOUR, MINUTE } from '../lib/unix-time.ts'
import type { SharedUses } from '../registry/shared-uses.ts'

type Limits = { name: string; windowMs: number; perAccount: number; perAddress: number }

export const SIGN_IN: Limits = {
  ...{ name: 'sign-in', windowMs: 5 * MINUTE, perAccount: 10, perAddress: 100 }
}
export const REGISTRATION: Limits = {
  ...{ name: 'registration', windowMs: HOUR, perAccount: 5, perAddress: 100 }
}

/**
 * Failed tries in the last minutes, by account and address, and by address alone. So somebody who
 * guesses from another address cannot lock out the owner. An empty address means unknown. Nodes
 * that share a registry count together; each of them refuses by itself what it knows to be too
 * much, so a flood does not reach the registry. [ADR-0056]
 */
export class Throttle {
  readonly #limits: Limits
  readonly #shared: SharedUses | undefined
  /** By a digest of account and address. */
  readonly #accounts: RateLimit<string>
  readonly #addresses: RateLimit<string>

  constructor(clock: Clock, shared: SharedUses | undefined, limits: Limits) {
    const { windowMs, perAccount, perAddress } = limits
    this.#limits = limits
    this.#shared = shared
    this.#accounts = new RateLimit(clock, { most: perAccount, windowMs })
    this.#addresses = new RateLimit(clock, { most: perAddress, windowMs })
  }

  /**
   * Seconds until another try is allowed. 0: now, and it counts as failed until `succeeded`. It is
   * counted at once, so that parallel guesses are counted like sequential ones.
   */
  async take(account: string, from: string): Promise<number> {
    const { address, key } = keysOf(account, from)
    const wait = this.#waitOf({ address, key })
    if (wait > 0) return wait
    this.#accounts.count(key)
    if (address !== '') this.#addresses.count(address)
    if (!this.#shared) return 0
    const { windowMs, perAccount, perAddress } = this.#limits
    const seconds = await this.#shared.take([
      { key: this.#named(key), most: perAccount, windowMs },
      ...(address === '' ? [] : [{ key: this.#named(address), most: perAddress, windowMs }])
    ])
    if (seconds > 0) this.#accounts.block(key, seconds)
    return seconds
  }

  /** Seconds until another try is allowed, as far as this node knows; 0 means now. */
  wait(account: string, from: string): number {
    return this.#waitOf(keysOf(account, from))
  }

  #waitOf({ address, key }: Keys): number {
    return Math.max(this.#accounts.wait(key), address === '' ? 0 : this.#addresses.wait(address))
  }

  /** Takes back the try that `take` counted, and forgets the failures of the account. */
  async succeeded(account: string, from: string): Promise<void> {
    const { address, key } = keysOf(account, from)
    this.#accounts.forget(key)
    this.#addresses.takeBack(address)
    await this.#shared?.forget(this.#named(key))
    if (address !== '') await this.#shared?.takeBack(this.#named(address))
  }

  /**
   * Forgets the failures of the account from this address on this node. Those of the address itself
   * stay.
   */
  forget(account: string, from: string): void {
    this.#accounts.forget(keysOf(account, from).key)
  }

  #named(key: string): string {
    return `${this.#limits.name} ${key}`
  }
}

/** The key of the account is a digest, because names may be long. */
type Keys = { address: string; key: string }

function keysOf(account: string, from: string): Keys {
  const address = homeOf(from)
  const text = `${account.toLowerCase()} ${address}`
  return { address, key: createHash('sha256').update(text).digest('base64') }
}
