import type { Clock } from '../lib/clock.ts'
import { homeOf } from '../lib/networks.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { Seldom } from '../lib/seldom.ts'
import { MINUTE } from '../lib/unix-time.ts'
import type { Metrics, SignInFaultKind, SignInWay } from '../metrics.ts'
import { MIN_KEY_LENGTH } from './tokens.ts'

type Parts = {
  metrics: Metrics
  clock: Clock
  log: { warn(fields: object, text: string): void }
}

export type FailedSignIn = {
  over: SignInWay
  reason: SignInFaultKind
  /** The name that was given; undefined: only a key was given. */
  account: string | undefined
  /** Empty: the broker does not tell it. */
  address: string
}

/** The same account from the same address is logged so often, and all together so much. */
const LOG_EVERY_MS = MINUTE
const LINES = { most: 60, windowMs: MINUTE }
const MAX_ACCOUNT_CHARACTERS = 100

/** Counts each failed sign-in, and logs some of them. */
export class FailedSignIns {
  readonly #parts: Parts
  readonly #same = new Seldom(LOG_EVERY_MS)
  readonly #lines: RateLimit<'all'>
  #sinceLine = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#lines = new RateLimit(parts.clock, LINES)
  }

  note({ over, reason, account, address }: FailedSignIn): void {
    const { metrics, clock, log } = this.#parts
    metrics.signInFailed(over, reason)
    this.#sinceLine++
    const shown = account === undefined ? '(key)' : shownName(account)
    if (this.#lines.wait('all') > 0) return
    if (!this.#same.isDue(`${shown} ${homeOf(address)}`, clock())) return
    this.#lines.count('all')
    const fields = { over, reason, account: shown, address, failed: this.#sinceLine }
    log.warn(fields, 'a sign-in failed; `failed` counts all since the last such line')
    this.#sinceLine = 0
  }
}

/** Some put the key in the place of the name. A key is no matter for the log. */
function shownName(name: string): string {
  const mayBeKey = name.length >= MIN_KEY_LENGTH && !name.includes('@')
  return mayBeKey ? `${name.slice(0, 4)}...` : name.slice(0, MAX_ACCOUNT_CHARACTERS)
}
