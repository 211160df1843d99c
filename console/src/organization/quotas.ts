import type { Schemas } from '../../../tools/client/client.ts'
import { numberFormat } from '../formats.ts'

export const quotaNames = [
  ...(['messages_per_second', 'topics', 'history_bytes_per_day', 'history_bytes'] as const),
  ...(['files', 'file_bytes', 'connections', 'filters'] as const)
] as const
export const settable = [...quotaNames, 'history_days'] as const

export type QuotaName = (typeof quotaNames)[number]
export type Settable = (typeof settable)[number]

/** As typed; empty: the default. */
export type QuotaDraft = Record<Settable, string>

const MIB = 1024 ** 2
export const isBytes = (name: string): boolean => name.includes('bytes')

/** Bytes are typed in MiB. */
export const typedOf = (name: Settable, value: number | null | undefined): string =>
  typeof value === 'number' ? String(isBytes(name) ? value / MIB : value) : ''

export const draftOf = ({ overrides }: Schemas['Quota']): QuotaDraft =>
  Object.fromEntries(settable.map((name) => [name, typedOf(name, overrides[name])])) as QuotaDraft

const MAX_DAYS = 36_500

/** Undefined: this is no quota. Null: the default. */
export function readQuota(name: Settable, text: string): number | null | undefined {
  const typed = text.trim().replace(',', '.')
  if (typed === '') return null
  if (!/^\d+(\.\d+)?$/.test(typed)) return undefined
  const value = isBytes(name) ? Math.round(Number(typed) * MIB) : Number(typed)
  if (!Number.isSafeInteger(value)) return undefined
  if (name === 'history_days' && (value < 1 || value > MAX_DAYS)) return undefined
  return value
}

/** Undefined while something typed is no quota. */
export function bodyOf(draft: QuotaDraft): Schemas['QuotaUpdate'] | undefined {
  const read = settable.map((name) => [name, readQuota(name, draft[name])] as const)
  return read.some(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(read) as Schemas['QuotaUpdate'])
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** An amount with its unit. */
export function amountText(name: string, value: number, locale: string): string {
  if (!isBytes(name)) return numberFormat(locale, { maximumFractionDigits: 2 }).format(value)
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), units.length - 1)
  const number = numberFormat(locale, { maximumFractionDigits: 1 }).format(value / 1024 ** power)
  return `${number} ${units[power]}`
}
