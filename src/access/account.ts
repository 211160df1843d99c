import {
  type Limits,
  type Payer,
  type PayerKind,
  type QuotaName,
  TokenBucket
} from '../lib/quota.ts'
import { DAY, MINUTE } from '../lib/unix-time.ts'

/** What is charged and not yet in the registry. `bytes` by the month of the sample. */
export type Charges = { day: number; dayBytes: number; months: ReadonlyMap<string, number> }

export const minuteOf = (now: number): number => Math.floor(now / MINUTE)
export const dayOf = (now: number): number => Math.floor(now / DAY)

/** What one owner uses: of an organization, together with all that is below it. */
export class Account implements Payer {
  readonly kind: PayerKind
  readonly id: number
  limits: Limits
  /** With a value, and those whose first value is on its way. */
  topics = 0
  comingTopics = 0
  /** Of history, in all. */
  bytes = 0
  /** Charged since the registry was told. */
  isChanged = false
  #told: Map<string, number> | undefined
  readonly #bucket = new TokenBucket()
  #day = 0
  #dayBytes = 0
  #newDayBytes = 0
  #month = ''
  #monthBytes = 0
  #otherMonths: Map<string, number> | undefined
  #minute = 0
  #messages = 0
  #messagesBefore = 0

  constructor({ kind, id }: Payer, limits: Limits) {
    this.kind = kind
    this.id = id
    this.limits = limits
  }

  /** Whether it is that long ago that somebody was told of the quota, and so is told now. */
  isToTell(
    who: 'ledger' | 'log',
    quota: QuotaName,
    { now, every }: Record<'now' | 'every', number>
  ) {
    const key = `${who} ${quota}`
    if (now - (this.#told?.get(key) ?? Number.NEGATIVE_INFINITY) < every) return false
    this.#told ??= new Map()
    this.#told.set(key, now)
    return true
  }

  hasMessage(now: number): boolean {
    return this.#bucket.has(this.limits.messages_per_second, now)
  }

  takeMessage(minute: number): void {
    this.#bucket.take()
    if (minute !== this.#minute) this.#turn(minute)
    this.#messages++
  }

  /** Messages a second: the mean of the last full minute or of this one, whichever is more. */
  rate(now: number): number {
    const minute = minuteOf(now)
    if (minute !== this.#minute) this.#turn(minute)
    return Math.max(this.#messages, this.#messagesBefore) / 60
  }

  dayBytes(day: number): number {
    return day === this.#day ? this.#dayBytes : 0
  }

  /** A negative count subtracts, if it is still the same day. */
  chargeDay(day: number, bytes: number): void {
    if (day !== this.#day) {
      if (bytes < 0) return
      this.#day = day
      this.#dayBytes = 0
      this.#newDayBytes = 0
    }
    this.#dayBytes += bytes
    this.#newDayBytes += bytes
  }

  chargeMonth(month: string, bytes: number): void {
    if (month !== this.#month) {
      this.#layAside()
      this.#month = month
    }
    this.#monthBytes += bytes
  }

  /** Everything since the last call; it is charged again when it could not be written. */
  takeCharges(): Charges {
    this.#layAside()
    const charges = {
      day: this.#day,
      dayBytes: this.#newDayBytes,
      months: this.#otherMonths ?? new Map()
    }
    this.#newDayBytes = 0
    this.#otherMonths = undefined
    return charges
  }

  /** They could not be written. */
  giveBack({ day, dayBytes, months }: Charges): void {
    if (day === this.#day) this.#newDayBytes += dayBytes
    for (const [month, bytes] of months) this.#addMonth(month, bytes)
  }

  /** What the registry has of a day, from all nodes. */
  readDay(day: number, bytes: number): void {
    if (day < this.#day) return
    if (day > this.#day) this.#newDayBytes = 0
    this.#day = day
    this.#dayBytes = bytes + this.#newDayBytes
  }

  get newBytes(): number {
    let sum = this.#monthBytes
    for (const bytes of this.#otherMonths?.values() ?? []) sum += bytes
    return sum
  }

  #layAside(): void {
    if (this.#monthBytes !== 0) this.#addMonth(this.#month, this.#monthBytes)
    this.#monthBytes = 0
  }

  #addMonth(month: string, bytes: number): void {
    this.#otherMonths ??= new Map()
    this.#otherMonths.set(month, (this.#otherMonths.get(month) ?? 0) + bytes)
  }

  #turn(minute: number): void {
    this.#messagesBefore = minute === this.#minute + 1 ? this.#messages : 0
    this.#messages = 0
    this.#minute = minute
  }
}
