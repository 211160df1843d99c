import { type Limits, type Payer, type PayerKind, TokenBucket } from '../lib/quota.ts'
import { DAY, MINUTE } from '../lib/unix-time.ts'

/**
 * What was charged and is not yet in the registry. `months` has bytes by the month of the sample.
 */
export type UnwrittenCharges = {
  day: number
  dayBytes: number
  messages: number
  months: ReadonlyMap<string, number>
}

export const minuteOf = (now: number): number => Math.floor(now / MINUTE)
export const dayOf = (now: number): number => Math.floor(now / DAY)

/** What one owner uses. The use of an organization includes everything below it. */
export class Account implements Payer {
  readonly kind: PayerKind
  readonly id: number
  limits: Limits
  /** Topics that had a value when they were counted last. */
  topics = 0
  /** Values since then that may be the first of their topic. */
  unsureTopics = 0
  /** New topics whose first value is being stored. */
  comingTopics = 0
  /** Of all its history. */
  bytes = 0
  /** It was charged after the last write to the registry. */
  isChanged = false
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
  #newMessages = 0
  /** How many messages of this account the registry has, as far as this node knows. */
  #messagesInRegistry: number | undefined

  constructor({ kind, id }: Payer, limits: Limits) {
    this.kind = kind
    this.id = id
    this.limits = limits
  }

  /** Whether it may be that there is no room for another topic. */
  get mayBeFull(): boolean {
    return this.topics + this.unsureTopics + this.comingTopics >= this.limits.topics
  }

  hasMessages(now: number, count = 1): boolean {
    return this.#bucket.has(this.limits.messages_per_second, now, count)
  }

  /** How long to wait for so many, after `hasMessages` was false. */
  secondsUntilMessages(count: number): number {
    return this.#bucket.secondsUntil(count, this.limits.messages_per_second)
  }

  takeMessage(minute: number, count = 1): void {
    this.#bucket.take(count)
    if (minute !== this.#minute) this.#beginMinute(minute)
    this.#messages += count
    this.#newMessages += count
  }

  /**
   * The registry has so many messages of all nodes. What others took since the last call is taken
   * here too, so that the rate holds for all nodes together.
   */
  readMessages(all: number, now: number): void {
    const others = all - (this.#messagesInRegistry ?? all)
    this.#messagesInRegistry = all
    if (others <= 0) return
    this.#bucket.takeOf(others, this.limits.messages_per_second, now)
    const minute = minuteOf(now)
    if (minute !== this.#minute) this.#beginMinute(minute)
    this.#messages += others
  }

  /** Messages a second: the mean of the last full minute or of this one, whichever is more. */
  rate(now: number): number {
    const minute = minuteOf(now)
    if (minute !== this.#minute) this.#beginMinute(minute)
    return Math.max(this.#messages, this.#messagesBefore) / 60
  }

  dayBytes(day: number): number {
    return day === this.#day ? this.#dayBytes : 0
  }

  /** A negative amount subtracts, if it is still the same day. */
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
      this.#closeMonth()
      this.#month = month
    }
    this.#monthBytes += bytes
  }

  /** Everything since the last call. If it cannot be written, `giveBack` follows. */
  takeCharges(): UnwrittenCharges {
    this.#closeMonth()
    const charges = {
      day: this.#day,
      dayBytes: this.#newDayBytes,
      messages: this.#newMessages,
      months: this.#otherMonths ?? new Map()
    }
    this.#newDayBytes = 0
    this.#newMessages = 0
    this.#otherMonths = undefined
    if (this.#messagesInRegistry !== undefined) this.#messagesInRegistry += charges.messages
    return charges
  }

  /** The charges could not be written. */
  giveBack({ day, dayBytes, messages, months }: UnwrittenCharges): void {
    this.#newMessages += messages
    if (this.#messagesInRegistry !== undefined) this.#messagesInRegistry -= messages
    if (day === this.#day) this.#newDayBytes += dayBytes
    for (const [month, bytes] of months) this.#addMonth(month, bytes)
  }

  /** Sets the bytes of a day to what the registry has from all nodes, and what is new here. */
  readDay(day: number, bytes: number): void {
    if (day < this.#day) return
    if (day > this.#day) this.#newDayBytes = 0
    this.#day = day
    this.#dayBytes = bytes + this.#newDayBytes
  }

  /** Bytes that are not yet in the registry. */
  get newBytes(): number {
    let sum = this.#monthBytes
    for (const bytes of this.#otherMonths?.values() ?? []) sum += bytes
    return sum
  }

  #closeMonth(): void {
    if (this.#monthBytes !== 0) this.#addMonth(this.#month, this.#monthBytes)
    this.#monthBytes = 0
  }

  #addMonth(month: string, bytes: number): void {
    this.#otherMonths ??= new Map()
    this.#otherMonths.set(month, (this.#otherMonths.get(month) ?? 0) + bytes)
  }

  #beginMinute(minute: number): void {
    this.#messagesBefore = minute === this.#minute + 1 ? this.#messages : 0
    this.#messages = 0
    this.#minute = minute
  }
}
