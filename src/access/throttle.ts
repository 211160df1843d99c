import { createHash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { homeOf } from '../lib/networks.ts'
import { HOUR, MINUTE } from '../lib/unix-time.ts'

type Limits = { window: number; perAccount: number; perAddress: number }

const SIGN_IN: Limits = { window: 5 * MINUTE, perAccount: 10, perAddress: 100 }
export const REGISTRATION: Limits = { window: HOUR, perAccount: 5, perAddress: 100 }
const MAX_KEYS = 100_000

/**
 * Failed tries of the last minutes, by account and address and by address alone. Someone who
 * guesses from elsewhere never locks out the owner. An empty address is one that is not known.
 */
export class Throttle {
  readonly #failures = new Map<string, number[]>()
  readonly #clock: Clock
  readonly #limits: Limits

  constructor(clock: Clock, limits = SIGN_IN) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Seconds until another try is heard; 0 when it is heard now. */
  wait(account: string, from: string): number {
    const address = homeOf(from)
    const now = this.#clock()
    const { perAccount, perAddress } = this.#limits
    const until = Math.max(
      this.#until(accountKey(account, address), perAccount),
      address === '' ? 0 : this.#until(address, perAddress)
    )
    return until > now ? Math.ceil((until - now) / 1000) : 0
  }

  /** A try counts as failed until `succeeded` takes it back. */
  tried(account: string, from: string): void {
    const address = homeOf(from)
    const now = this.#clock()
    const { window, perAddress } = this.#limits
    for (const key of [accountKey(account, address), address].filter(Boolean)) {
      const recent = (this.#failures.get(key) ?? []).filter((at) => at > now - window)
      this.#failures.delete(key)
      this.#failures.set(key, [...recent, now].slice(-perAddress))
    }
    // The keys lie in the order of their last failure: the old ones go, and the oldest if there
    // are too many, so that made-up names cannot fill the memory.
    for (const [key, failures] of this.#failures) {
      const isOver = (failures.at(-1) ?? 0) <= now - window
      if (!isOver && this.#failures.size <= MAX_KEYS) break
      this.#failures.delete(key)
    }
  }

  succeeded(account: string, from: string): void {
    const address = homeOf(from)
    this.#failures.delete(accountKey(account, address))
    this.#failures.get(address)?.pop()
  }

  /** The moment at which the oldest of the last `allowed` failures leaves the window. */
  #until(key: string, allowed: number): number {
    const failure = this.#failures.get(key)?.at(-allowed)
    return failure === undefined ? 0 : failure + this.#limits.window
  }
}

/** A digest: names may be long. */
const accountKey = (account: string, address: string): string =>
  createHash('sha256').update(`${account.toLowerCase()} ${address}`).digest('base64')
