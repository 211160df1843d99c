/** The quotas of an installation or an organization. [ADR-0037] */
export const quotaNames = [
  'messages_per_second',
  'topics',
  'history_bytes_per_day',
  'history_bytes',
  'files',
  'file_bytes',
  'connections',
  'filters'
] as const

export type QuotaName = (typeof quotaNames)[number]
export type Limits = Readonly<Record<QuotaName, number>>
/** `history_days`: samples stay for so many days. It is no quota, because nobody uses it up. */
export type Overrides = Readonly<Partial<Limits & { history_days: number }>>

export type PayerKind = 'installation' | 'organization'
/** The owner that is charged. An organization is also charged for everything below it. */
export type Payer = { readonly kind: PayerKind; readonly id: number }

export const payerName = ({ kind, id }: Payer): string => `${kind} ${id}`
export function payerNamed(name: string): Payer {
  const [kind, id] = name.split(' ')
  return { kind: kind as PayerKind, id: Number(id) }
}

const GIB = 1024 ** 3

/** No honest site reaches these. A flood of so many messages slows down no other tenant. [ADR-0038] */
const builtIn: Readonly<Record<PayerKind, Limits>> = {
  installation: {
    messages_per_second: 2000,
    topics: 20_000,
    history_bytes_per_day: 10 * GIB,
    history_bytes: 256 * GIB,
    files: 1000,
    file_bytes: GIB,
    connections: 1000,
    filters: 20_000
  },
  organization: {
    messages_per_second: 5000,
    topics: 2_000_000,
    history_bytes_per_day: 256 * GIB,
    history_bytes: 4096 * GIB,
    files: 100_000,
    file_bytes: 100 * GIB,
    connections: 20_000,
    filters: 400_000
  }
}

/** `earlier`: what older settings say about an installation. `texts` override them. */
export const defaultLimits = (
  texts: Readonly<Record<PayerKind, string>>,
  earlier: Overrides
): Record<PayerKind, Limits> => ({
  installation: { ...builtIn.installation, ...earlier, ...parseQuotas(texts.installation) },
  organization: { ...builtIn.organization, ...parseQuotas(texts.organization) }
})

const isQuotaName = (text: string): text is QuotaName => quotaNames.some((name) => name === text)

/** Parses `topics=500,files=20`. `quotasFault` has already checked the text. */
function parseQuotas(text: string): Overrides {
  const quotas: Partial<Record<QuotaName, number>> = {}
  for (const part of partsOf(text)) {
    const [name = '', value] = part.split('=')
    if (isQuotaName(name)) quotas[name] = Number(value)
  }
  return quotas
}

/** The first part that is not a quota name with a whole number. */
export const quotasFault = (text: string): string | undefined =>
  partsOf(text).find((part) => {
    const [, name = '', digits] = /^(\w+)=(\d{1,15})$/.exec(part) ?? []
    return !isQuotaName(name) || digits === undefined
  })

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** A gateway that was away for a while sends what it kept, all at once. */
const BURST_SECONDS = 60

/** Allows so many a second on average, and a minute's worth at once. */
export class TokenBucket {
  #tokens = Number.POSITIVE_INFINITY
  #perSecond = 0
  #at = 0

  /**
   * Whether so many tokens are left; `take` takes them. Who wants more than a full bucket has needs a
   * full one.
   */
  has(perSecond: number, now: number, count = 1): boolean {
    // Under load many calls come in the same millisecond.
    if (now !== this.#at || perSecond !== this.#perSecond) this.#fill(perSecond, now)
    return this.#tokens >= enoughFor(count, perSecond)
  }

  #fill(perSecond: number, now: number): void {
    const gained = this.#at === 0 ? 0 : (Math.max(now - this.#at, 0) * perSecond) / 1000
    this.#tokens = Math.min(this.#tokens + gained, perSecond * BURST_SECONDS)
    this.#perSecond = perSecond
    this.#at = now
  }

  /** Seconds until `has` is true, if nobody else takes any. */
  secondsUntil(count: number, perSecond: number): number {
    return Math.max(enoughFor(count, perSecond) - this.#tokens, 0) / perSecond
  }

  /** The bucket may owe some afterwards, and is filled only when they are paid. */
  take(count = 1): void {
    this.#tokens -= count
  }

  /** Takes tokens that were used elsewhere. The bucket owes at most a minute's worth. */
  takeOf(count: number, perSecond: number, now: number): void {
    this.#fill(perSecond, now)
    this.#tokens = Math.max(this.#tokens - count, -perSecond * BURST_SECONDS)
  }
}

const enoughFor = (count: number, perSecond: number): number =>
  Math.max(Math.min(count, perSecond * BURST_SECONDS), 1)

/** Timestamp and value of a sample, 8 bytes each. */
export const SAMPLE_BYTES = 16

export const msgBytes = (msg: string): number => (msg === '' ? 0 : Buffer.byteLength(msg))

/** The counted size of a sample: its texts in UTF-8, its timestamp and its value. */
export const sampleBytes = (topic: string, msg: string): number =>
  Buffer.byteLength(topic) + msgBytes(msg) + SAMPLE_BYTES
