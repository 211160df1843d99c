/** What an installation or an organization has only so much of. [ADR-0037] */
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
export type Overrides = Readonly<Partial<Limits>>

export type PayerKind = 'installation' | 'organization'
/** Who is charged. An organization is charged for everything below it, too. */
export type Payer = { readonly kind: PayerKind; readonly id: number }

export const payerName = ({ kind, id }: Payer): string => `${kind} ${id}`
export function payerNamed(name: string): Payer {
  const [kind, id] = name.split(' ')
  return { kind: kind as PayerKind, id: Number(id) }
}

const GIB = 1024 ** 3

/** No honest site meets them: some are a good part of what one machine can do. */
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
    messages_per_second: 20_000,
    topics: 2_000_000,
    history_bytes_per_day: 256 * GIB,
    history_bytes: 4096 * GIB,
    files: 100_000,
    file_bytes: 100 * GIB,
    connections: 20_000,
    filters: 400_000
  }
}

/** `earlier`: what other settings say of one installation. The text goes before them. */
export const defaultLimits = (
  texts: Readonly<Record<PayerKind, string>>,
  earlier: Overrides
): Record<PayerKind, Limits> => ({
  installation: { ...builtIn.installation, ...earlier, ...parseQuotas(texts.installation) },
  organization: { ...builtIn.organization, ...parseQuotas(texts.organization) }
})

const isQuotaName = (text: string): text is QuotaName => quotaNames.some((name) => name === text)

/** Of `topics=500,files=20`; what is wrong with such a text is what `quotasFault` says. */
function parseQuotas(text: string): Overrides {
  const quotas: Partial<Record<QuotaName, number>> = {}
  for (const part of partsOf(text)) {
    const [name = '', value] = part.split('=')
    if (isQuotaName(name)) quotas[name] = Number(value)
  }
  return quotas
}

/** The first part that gives no quota a whole number. */
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

/** What may come at once: a gateway that was away for a while sends what it kept. */
const BURST_SECONDS = 60

/** So many a second on average, and a minute's worth at once. */
export class TokenBucket {
  #tokens = Number.POSITIVE_INFINITY
  #perSecond = 0
  #at = 0

  /** Whether there is one; `take` takes it. */
  has(perSecond: number, now: number): boolean {
    // Under load many come in the same millisecond.
    if (now !== this.#at || perSecond !== this.#perSecond) this.#fill(perSecond, now)
    return this.#tokens >= 1
  }

  #fill(perSecond: number, now: number): void {
    const gained = this.#at === 0 ? 0 : (Math.max(now - this.#at, 0) * perSecond) / 1000
    this.#tokens = Math.min(this.#tokens + gained, perSecond * BURST_SECONDS)
    this.#perSecond = perSecond
    this.#at = now
  }

  take(): void {
    this.#tokens--
  }
}

/** Time and value of a sample, 8 bytes each. */
export const SAMPLE_BYTES = 16

/** What a sample counts: its texts in UTF-8, its time and its value. */
export const sampleBytes = (topic: string, msg: string): number =>
  Buffer.byteLength(topic) + (msg === '' ? 0 : Buffer.byteLength(msg)) + SAMPLE_BYTES
