import { readNumber } from '../numbers.ts'
import type { RuleFields, When } from './types.ts'

export const comparisons = [
  'above',
  'below',
  'outside',
  'equals',
  'changed_by',
  'rate_per_hour',
  'silent_for'
] as const
export type Comparison = (typeof comparisons)[number]
type Bound = number | { meta: string }

/** A comparison as it is typed. Only `outside` has a second bound. `row` tells rows apart. */
export type Part = { row: number; kind: Comparison; first: string; second: string }
export type MetaPart = { row: number; key: string; value: string }

export type Draft = Pick<RuleFields, 'name' | 'active' | 'severity' | 'for' | 'message'> & {
  by: 'topics' | 'functions'
  topics: readonly string[]
  type: string
  meta: readonly MetaPart[]
  join: 'all' | 'any'
  parts: readonly Part[]
  /** Conditions within conditions, as JSON: the form has one level. Empty: the form holds. */
  json: string
  hysteresis: string
  hasHours: boolean
  days: readonly number[]
  from: string
  to: string
}

export const emptyDraft: Draft = {
  ...{ name: '', active: true, severity: 'warning', for: '', message: '' },
  ...{ by: 'topics', topics: [], type: '', meta: [{ row: 1, key: '', value: '' }] },
  ...{ join: 'all', parts: [{ row: 1, kind: 'above', first: '', second: '' }], json: '' },
  ...{ hysteresis: '', hasHours: false, days: [1, 2, 3, 4, 5], from: '08:00', to: '17:00' }
}

/** What comes after the rows that are there. */
export const nextRow = (rows: readonly { row: number }[]): number =>
  Math.max(0, ...rows.map(({ row }) => row)) + 1

export function draftOf(rule: RuleFields): Draft {
  const { name, active, severity, on, when, message, schedule, hysteresis } = rule
  const { join, list } = listOf(when)
  const parts = list.map((one, i) => partOf(one, i + 1))
  const isPlain = parts.every((part) => part !== undefined)
  const meta = Object.entries(on.meta ?? {}).map(([key, value], i) => ({ row: i + 1, key, value }))
  return {
    ...emptyDraft,
    ...{ name, active, severity, message, for: rule.for },
    by: on.topics ? 'topics' : 'functions',
    topics: on.topics ?? [],
    type: on.type ?? '',
    meta: meta.length > 0 ? meta : emptyDraft.meta,
    join,
    parts: isPlain ? parts : emptyDraft.parts,
    json: isPlain ? '' : JSON.stringify(when, undefined, 2),
    hysteresis: hysteresis === 0 ? '' : String(hysteresis),
    hasHours: schedule !== null,
    ...(schedule && { days: schedule.days, from: schedule.from, to: schedule.to })
  }
}

function listOf(when: When): { join: Draft['join']; list: readonly When[] } {
  if (when.all) return { join: 'all', list: when.all }
  return when.any ? { join: 'any', list: when.any } : { join: 'all', list: [when] }
}

/** Undefined: the form cannot show it. */
function partOf(when: When, row: number): Part | undefined {
  const kind = comparisons.find((one) => when[one] !== undefined)
  if (!kind) return undefined
  const given = when[kind]
  const [first, second = ''] = Array.isArray(given) ? given.map(boundText) : [boundText(given)]
  const isKept = first !== undefined && second !== undefined
  return isKept ? { row, kind, first, second } : undefined
}

/** A key of metadata that looks like a number cannot be told from one. */
function boundText(bound: Bound | string | undefined): string | undefined {
  if (typeof bound === 'number') return String(bound)
  if (typeof bound === 'string') return bound
  return bound && isKey(bound.meta) ? bound.meta : undefined
}

const isKey = (text: string): boolean => /^[^\s\d+\-.,]/.test(text) && text === text.trim()

/** A number, or a key of the metadata that has it. Undefined: it is neither. */
export function readBound(text: string): Bound | undefined {
  const plain = text.trim()
  if (plain === '') return undefined
  return isKey(plain) ? { meta: plain } : readNumber(plain, 0)
}

/** `10m`, also written as `10 min`. Undefined: it is no duration. */
export function readDuration(text: string): string | undefined {
  const [, count, unit] = /^(\d{1,8})\s*(s|m|min|h|d)$/.exec(text.trim().toLowerCase()) ?? []
  return count && unit ? Number(count) + unit.slice(0, 1) : undefined
}

export function readPart({ kind, first, second }: Part): When | undefined {
  if (kind === 'silent_for') {
    const plain = first.trim()
    const silent_for = readDuration(plain) ?? (isKey(plain) ? { meta: plain } : undefined)
    return silent_for === undefined ? undefined : { silent_for }
  }
  const low = readBound(first)
  if (low === undefined) return undefined
  if (kind !== 'outside') return { [kind]: low }
  const high = readBound(second)
  return high === undefined ? undefined : { outside: [low, high] }
}

function readWhen({ json, join, parts }: Draft): When | undefined {
  if (json !== '') {
    try {
      const when: unknown = JSON.parse(json)
      return typeof when === 'object' && when !== null ? when : undefined
    } catch {
      return undefined
    }
  }
  const list = parts.map(readPart).filter((one) => one !== undefined)
  if (list.length === 0 || list.length < parts.length) return undefined
  return list.length === 1 ? list[0] : { [join]: list }
}

function readOn({ by, topics, type, meta }: Draft): RuleFields['on'] | undefined {
  if (by === 'topics') return topics.length > 0 ? { topics: [...topics] } : undefined
  const pairs = meta.filter(({ key }) => key !== '').map(({ key, value }) => [key, value])
  // Nobody wants to watch all functions by an empty form.
  return type === '' && pairs.length === 0 ? undefined : { type, meta: Object.fromEntries(pairs) }
}

/** Undefined: something is missing, or cannot be read. */
export function bodyOf(draft: Draft): RuleFields | undefined {
  const { name, active, severity, message, hasHours, days, from, to } = draft
  const [on, when] = [readOn(draft), readWhen(draft)]
  const lasting = draft.for.trim() === '' ? '' : readDuration(draft.for)
  const hysteresis = readNumber(draft.hysteresis, 0)
  if (!on || !when || lasting === undefined || hysteresis === undefined) return undefined
  if (hasHours && (days.length === 0 || !from || !to)) return undefined
  const schedule = hasHours ? { days: [...days], from, to } : null
  return { name, active, severity, on, when, for: lasting, hysteresis, schedule, message }
}
