import type { FastifyBaseLogger } from 'fastify'
import type { Latest } from '../history/latest.ts'
import type { Clock } from '../lib/clock.ts'
import { type Payer, payerName, type QuotaName } from '../lib/quota.ts'
import type { Refusal } from '../lib/sample.ts'
import {
  endOfMonth,
  HOUR,
  monthOf,
  SECOND,
  startOfMonth,
  type UnixMs,
  unixMs
} from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'
import { type Account, dayOf, minuteOf } from './account.ts'
import type { Accounts, Place } from './accounts.ts'

type Parts = {
  accounts: Accounts
  latest: Latest
  metrics: Metrics
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
}

/** Whose quota is used up. */
export type Excess = { account: Account; quota: QuotaName; reason: Refusal }

/** How often the ledger tells of the same quota of the same owner: the metrics count each. */
const NOTE_EVERY = 10 * SECOND
const LOG_EVERY = HOUR

const reasons = {
  messages_per_second: 'too many messages',
  topics: 'too many topics',
  history_bytes_per_day: 'too much history today',
  history_bytes: 'too much history'
} as const

/** Asked for each message: what the owners may still have, and what it costs them. [ADR-0037] */
export class Meter {
  readonly #parts: Parts
  readonly #changed = new Set<Account>()
  /** New ones whose first value is on its way to the disk, by installation. */
  readonly #coming = new Map<number, Set<string>>()
  /** Of the last message; under load many come in the same millisecond. */
  #moment = { now: 0, minute: 0, day: 0 }
  #month = { name: '', from: unixMs(0), to: unixMs(0) }

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** One more message of the installation, whatever is in it. */
  takeMessage({ payers }: Place, now: number): Excess | undefined {
    for (const account of payers) {
      if (!account.hasMessage(now)) return excess(account, 'messages_per_second')
    }
    const { minute } = this.#momentOf(now)
    for (const account of payers) account.takeMessage(minute)
    return undefined
  }

  /** A sample of so many bytes; `release` follows when it is stored or not. */
  takeSample(
    place: Place,
    { topic, timestamp, bytes }: { topic: string; timestamp: UnixMs; bytes: number },
    now: number
  ): Excess | undefined {
    const { day } = this.#momentOf(now)
    for (const account of place.payers) {
      const { limits } = account
      if (account.bytes + bytes > limits.history_bytes) return excess(account, 'history_bytes')
      if (account.dayBytes(day) + bytes > limits.history_bytes_per_day) {
        return excess(account, 'history_bytes_per_day')
      }
    }
    const over = this.#takeTopic(place, topic)
    if (over) return excess(over, 'topics')
    this.charge(place, this.monthAt(timestamp), bytes, day)
    return undefined
  }

  /** A negative count takes back what was charged and not stored. */
  charge({ own, payers }: Place, month: string, bytes: number, day: number): void {
    own.chargeMonth(month, bytes)
    for (const account of payers) {
      account.bytes += bytes
      account.chargeDay(day, bytes)
      if (!account.isChanged) this.changed(account)
    }
  }

  /** The name of the month, such as `2025-11`. */
  monthAt(timestamp: UnixMs): string {
    const { from, to } = this.#month
    if (timestamp < from || timestamp >= to) {
      const name = monthOf(timestamp)
      this.#month = { name, from: startOfMonth(name), to: endOfMonth(name) }
    }
    return this.#month.name
  }

  release(installationId: number, topic: string): void {
    const topics = this.#coming.get(installationId)
    if (!topics?.delete(topic)) return
    if (topics.size === 0) this.#coming.delete(installationId)
    this.#countComing(installationId, -1)
  }

  /** Counts each and tells the log now and then. */
  note({ account, quota }: Pick<Excess, 'account' | 'quota'>): void {
    const { metrics, clock, log } = this.#parts
    metrics.overQuota(quota)
    if (account.isToTell('log', quota, { now: clock(), every: LOG_EVERY })) {
      log.warn(
        { quota, owner: payerName(account), limit: account.limits[quota] },
        'a quota is used up; what goes beyond it is refused'
      )
    }
  }

  /** Whether the ledger should show it: a flood must not wash everything else out. */
  isNews({ account, quota }: Excess): boolean {
    const now = this.#parts.clock()
    return account.isToTell('ledger', quota, { now, every: NOTE_EVERY })
  }

  /** Those that were charged since the last call, the longest waiting first; at most so many. */
  takeChanged(most: number): Account[] {
    const accounts: Account[] = []
    for (const account of this.#changed) {
      if (accounts.length >= most) break
      accounts.push(account)
      account.isChanged = false
      this.#changed.delete(account)
    }
    return accounts
  }

  /** The registry does not know all of it. */
  changed(account: Account): void {
    account.isChanged = true
    this.#changed.add(account)
  }

  #momentOf(now: number): { minute: number; day: number } {
    if (now !== this.#moment.now) this.#moment = { now, minute: minuteOf(now), day: dayOf(now) }
    return this.#moment
  }

  #takeTopic({ own, payers }: Place, topic: string): Account | undefined {
    if (this.#parts.latest.has(own.id, topic)) return undefined
    const topics = this.#coming.get(own.id)
    if (topics?.has(topic)) return undefined
    for (const account of payers) {
      if (account.topics + account.comingTopics >= account.limits.topics) return account
    }
    if (topics) topics.add(topic)
    else this.#coming.set(own.id, new Set([topic]))
    this.#countComing(own.id, 1)
    return undefined
  }

  #countComing(installationId: number, change: number): void {
    const place = this.#parts.accounts.known(installationId)
    for (const account of place?.payers ?? []) account.comingTopics += change
  }
}

const excess = (account: Account, quota: keyof typeof reasons): Excess => ({
  ...{ account, quota },
  reason: reasons[quota]
})

/** For whoever asked for it: what is above the own installation or organization is not told. */
export const excessText = (
  { account, quota }: Pick<Excess, 'account' | 'quota'>,
  owner: Payer
): string =>
  account.kind === owner.kind && account.id === owner.id
    ? `this goes beyond the quota ${quota} of the ${owner.kind}, which is ${account.limits[quota]}`
    : `this goes beyond the quota ${quota} of an organization above`
