import type { FastifyBaseLogger } from 'fastify'
import type { Latest } from '../history/latest/latest.ts'
import type { Topics } from '../history/latest/topics.ts'
import type { Clock } from '../lib/clock.ts'
import { MonthNames } from '../lib/month-names.ts'
import { type Payer, payerName, type QuotaName, sampleBytes } from '../lib/quota.ts'
import type { Refusal, Sample } from '../lib/sample.ts'
import { Seldom } from '../lib/seldom.ts'
import { HOUR, SECOND, type UnixMs } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'
import { type Account, dayOf, minuteOf } from './account.ts'
import type { AccountPlace, Accounts } from './accounts.ts'

type Parts = {
  accounts: Accounts
  latest: Pick<Latest, 'cached' | 'open'>
  /** Resolves when the samples that were taken so far are stored. */
  settled: () => Promise<void>
  metrics: Metrics
  clock: Clock
  log: Pick<FastifyBaseLogger, 'warn'>
}

export type KnownTopics = Pick<Topics, 'has'>
type ChargedSample = { topic: string; timestamp: UnixMs; bytes: number }
export type GroupSample = Pick<Sample, 'topic' | 'timestamp' | 'msg'>

/** A quota that is used up. */
export type QuotaExcess = { account: Account; quota: QuotaName; reason: Refusal }

/** `at` is the place of the sample that goes beyond it. `isUnsure`: only `look` can tell. */
export type GroupExcess = { excess: QuotaExcess; at: number; isUnsure: boolean }

/** How often the ledger shows the same quota of the same owner. The metrics count every refusal. */
const LEDGER_EVERY_MS = 10 * SECOND
const LOG_EVERY_MS = HOUR

const reasons = {
  messages_per_second: 'too many messages',
  topics: 'too many topics',
  history_bytes_per_day: 'too much history today',
  history_bytes: 'too much history'
} as const

/** Checks for each message what its payers may still use, and charges them. [ADR-0037] */
export class Meter {
  readonly #parts: Parts
  readonly #lines = new Seldom(LOG_EVERY_MS)
  readonly #entries = new Seldom(LEDGER_EVERY_MS)
  readonly #changed = new Set<Account>()
  /** New topics of each installation. Their first value is being stored. */
  readonly #coming = new Map<number, Set<string>>()
  /** Of the last message. Under load many messages come in the same millisecond. */
  #moment = { now: 0, minute: 0, day: 0 }
  readonly #months = new MonthNames()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Charges messages of the installation, whatever they contain: all or none. */
  takeMessages({ payers }: AccountPlace, now: number, count = 1): QuotaExcess | undefined {
    for (const account of payers) {
      if (!account.hasMessages(now, count)) return excess(account, 'messages_per_second')
    }
    const { minute } = this.#momentOf(now)
    for (const account of payers) {
      account.takeMessage(minute, count)
      if (!account.isChanged) this.changed(account)
    }
    return undefined
  }

  /**
   * Whether an owner has so many topics that only `look` can tell if there is room for this one.
   * Mostly not, so the topics of an installation need not be in memory.
   */
  isUnsure(place: AccountPlace, topic: string): boolean {
    for (const account of place.payers) {
      if (account.mayBeFull) return this.#isUnsure(place, topic)
    }
    return false
  }

  /** Reads the topics of the installation, and counts those of organizations that may be full. */
  async look(place: AccountPlace): Promise<Topics> {
    const { latest, accounts, settled } = this.#parts
    const { unsureTopics } = place.own
    await settled()
    const topics = await latest.open(place.own.id)
    accounts.setTopics(place, topics.size, Math.max(0, place.own.unsureTopics - unsureTopics))
    for (const account of place.payers) {
      if (account.mayBeFull && accounts.isCountDue(account)) await accounts.countTopicsOf(account)
    }
    return topics
  }

  /**
   * Charges a sample. `release` must follow when it is stored, or could not be stored. `topics` are
   * those of the installation, if they are known.
   */
  takeSample(
    place: AccountPlace,
    { topic, timestamp, bytes }: ChargedSample,
    now: number,
    topics: KnownTopics | undefined = this.#parts.latest.cached(place.own.id)
  ): QuotaExcess | undefined {
    const { day } = this.#momentOf(now)
    const full = bytesExcess(place, bytes, day)
    if (full) return full
    const over = this.#takeTopic(place, topic, topics)
    if (over) return excess(over, 'topics')
    this.charge(place, this.monthAt(timestamp), bytes, day)
    return undefined
  }

  /** Charges samples that are stored together, as `takeSample` does: all or none. */
  takeSamples(
    place: AccountPlace,
    samples: readonly GroupSample[],
    now: number,
    topics: KnownTopics | undefined = this.#parts.latest.cached(place.own.id)
  ): GroupExcess | undefined {
    const { day } = this.#momentOf(now)
    const months = this.#bytesByMonth(samples)
    let sum = 0
    for (const bytes of months.values()) sum += bytes
    const full = bytesExcess(place, sum, day)
    if (full) return { excess: full, at: 0, isUnsure: false }
    const over = this.#takeTopics(place, samples, topics)
    if (over) return over
    for (const [month, bytes] of months) this.charge(place, month, bytes, day)
    return undefined
  }

  /** A negative amount gives back what was charged and not stored. */
  charge({ own, payers }: AccountPlace, month: string, bytes: number, day: number): void {
    own.chargeMonth(month, bytes)
    for (const account of payers) {
      account.bytes += bytes
      account.chargeDay(day, bytes)
      if (!account.isChanged) this.changed(account)
    }
  }

  /** The name of the month, such as `2025-11`. */
  monthAt(timestamp: UnixMs): string {
    return this.#months.at(timestamp)
  }

  release(installationId: number, topic: string, { isStored }: { isStored: boolean }): void {
    const coming = this.#coming.get(installationId)
    if (!coming?.delete(topic)) return
    if (coming.size === 0) this.#coming.delete(installationId)
    for (const account of this.#parts.accounts.known(installationId)?.payers ?? []) {
      account.comingTopics--
      if (isStored) account.topics++
    }
  }

  /** Counts each refusal, and logs some of them. */
  note({ account, quota }: Pick<QuotaExcess, 'account' | 'quota'>): void {
    const { metrics, clock, log } = this.#parts
    metrics.overQuota(quota)
    if (this.#lines.isDue(`${quota} ${payerName(account)}`, clock())) {
      log.warn(
        { quota, owner: payerName(account), limit: account.limits[quota] },
        'a quota is used up; what goes beyond it is refused'
      )
    }
  }

  /** Whether the ledger should show it. A flood must not push everything else out of the ledger. */
  isNews({ account, quota }: QuotaExcess): boolean {
    return this.#entries.isDue(`${quota} ${payerName(account)}`, this.#parts.clock())
  }

  /**
   * At most so many accounts that were charged since the last call; those that wait longest first.
   */
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

  /** The registry does not have all charges of this account. */
  changed(account: Account): void {
    account.isChanged = true
    this.#changed.add(account)
  }

  #isUnsure({ own, payers }: AccountPlace, topic: string): boolean {
    const { latest, accounts } = this.#parts
    if (this.#coming.get(own.id)?.has(topic)) return false
    const topics = latest.cached(own.id)
    if (topics?.has(topic)) return false
    if (!topics || own.unsureTopics > 0) return true
    return payers.some((account) => account.mayBeFull && accounts.isCountDue(account))
  }

  #momentOf(now: number): { minute: number; day: number } {
    if (now !== this.#moment.now) this.#moment = { now, minute: minuteOf(now), day: dayOf(now) }
    return this.#moment
  }

  #takeTopic(
    { own, payers }: AccountPlace,
    topic: string,
    topics: KnownTopics | undefined
  ): Account | undefined {
    if (topics?.has(topic) || this.#coming.get(own.id)?.has(topic)) return undefined
    for (const account of payers) if (account.mayBeFull) return account
    if (topics) this.#addComing(own.id, topic)
    for (const account of payers) {
      if (topics) account.comingTopics++
      else account.unsureTopics++
    }
    return undefined
  }

  #bytesByMonth(samples: readonly GroupSample[]): Map<string, number> {
    const months = new Map<string, number>()
    for (const { topic, timestamp, msg } of samples) {
      const month = this.monthAt(timestamp)
      months.set(month, (months.get(month) ?? 0) + sampleBytes(topic, msg))
    }
    return months
  }

  /** Takes all of them, or none. */
  #takeTopics(
    place: AccountPlace,
    samples: readonly GroupSample[],
    topics: KnownTopics | undefined
  ): GroupExcess | undefined {
    const { own, payers } = place
    const { unsureTopics } = own
    const taken: string[] = []
    for (let at = 0; at < samples.length; at++) {
      const topic = samples[at]?.topic ?? ''
      const { comingTopics } = own
      const over = this.#takeTopic(place, topic, topics)
      if (own.comingTopics > comingTopics) taken.push(topic)
      if (!over) continue
      const isUnsure = this.#isUnsure(place, topic)
      const unsure = own.unsureTopics - unsureTopics
      for (const account of payers) account.unsureTopics -= unsure
      for (const topic of taken) this.release(own.id, topic, { isStored: false })
      return { excess: excess(over, 'topics'), at, isUnsure }
    }
    return undefined
  }

  #addComing(installationId: number, topic: string): void {
    const coming = this.#coming.get(installationId)
    if (coming) coming.add(topic)
    else this.#coming.set(installationId, new Set([topic]))
  }
}

function bytesExcess(
  { payers }: AccountPlace,
  bytes: number,
  day: number
): QuotaExcess | undefined {
  for (const account of payers) {
    const { limits } = account
    if (account.bytes + bytes > limits.history_bytes) return excess(account, 'history_bytes')
    if (account.dayBytes(day) + bytes > limits.history_bytes_per_day) {
      return excess(account, 'history_bytes_per_day')
    }
  }
  return undefined
}

const excess = (account: Account, quota: keyof typeof reasons): QuotaExcess => ({
  ...{ account, quota },
  reason: reasons[quota]
})

/**
 * For the caller. It says nothing about the organizations above, except that one is over a quota.
 */
export const excessText = (
  { account, quota }: Pick<QuotaExcess, 'account' | 'quota'>,
  owner: Payer
): string =>
  account.kind === owner.kind && account.id === owner.id
    ? `this goes beyond the quota ${quota} of the ${owner.kind}, which is ${account.limits[quota]}`
    : `this goes beyond the quota ${quota} of an organization above`
