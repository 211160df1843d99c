import { useMemo } from 'react'
import { numberFormat } from '../formats.ts'
import type { Row } from '../live/shown.ts'
import { type Texts, useLocale, useTexts } from '../texts/texts.ts'
import { comparisons } from './form.ts'
import type { RuleFields, When } from './types.ts'

const MOST_NAMES = 3
const units = { s: 'second', m: 'minute', h: 'hour', d: 'day' } as const
/** Monday first. */
export const weekDays = [1, 2, 3, 4, 5, 6, 0] as const
const A_SUNDAY = Date.UTC(2024, 0, 7)
const DAY_MS = 86_400_000

export type Words = { on: string; when: string }

/** Says a rule in a sentence. */
export function useWords(rows: readonly Row[]): (rule: RuleFields) => Words {
  const { rule: t } = useTexts()
  const locale = useLocale()
  return useMemo(() => {
    const names = new Map(
      rows.flatMap(({ topic, short, name }) => [
        [topic, name],
        [short, name]
      ])
    )
    return (rule) => ({ on: onText(rule.on, names, t), when: whenText(rule, t, locale) })
  }, [rows, t, locale])
}

function onText(on: RuleFields['on'], names: ReadonlyMap<string, string>, t: Texts['rule']) {
  if (on.topics) {
    const some = on.topics.slice(0, MOST_NAMES).map((topic) => names.get(topic) ?? topic)
    const others = on.topics.length - some.length
    return some.join(', ') + (others > 0 ? ` ${t.andMore(others)}` : '')
  }
  const meta = Object.entries(on.meta ?? {}).map(([key, value]) => `${key} = ${value}`)
  return t.functionsWith(on.type ?? '', meta.join(', '))
}

function whenText(rule: RuleFields, t: Texts['rule'], locale: string): string {
  const { schedule } = rule
  const hours = schedule && `${daysText(schedule.days, locale)} ${schedule.from}–${schedule.to}`
  return [
    conditionText(rule.when, t, locale),
    rule.for && t.lasting(durationText(rule.for, locale)),
    hours
  ]
    .filter(Boolean)
    .join(', ')
}

function conditionText(when: When, t: Texts['rule'], locale: string): string {
  const inner = when.all ?? when.any
  if (inner) {
    const list = inner.map((one: When) => {
      const text = conditionText(one, t, locale)
      return one.all || one.any ? `(${text})` : text
    })
    return list.join(when.all ? t.and : t.or)
  }
  const kind = comparisons.find((one) => when[one] !== undefined)
  if (!kind) return ''
  const given = when[kind]
  const bounds = (Array.isArray(given) ? given : [given]).map((one) => {
    if (typeof one === 'number')
      return numberFormat(locale, { maximumFractionDigits: 9 }).format(one)
    if (typeof one === 'string') return durationText(one, locale)
    return t.fromMeta(one?.meta ?? '')
  })
  return t.says[kind](bounds[0] ?? '', bounds[1] ?? '')
}

export function durationText(text: string, locale: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? []
  if (!count || !unit) return text
  const style = { style: 'unit', unit: units[unit as 's'], unitDisplay: 'short' } as const
  return numberFormat(locale, style).format(Number(count))
}

export const dayText = (day: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }).format(
    A_SUNDAY + day * DAY_MS
  )

export const daysText = (days: readonly number[], locale: string): string =>
  weekDays
    .filter((day) => days.includes(day))
    .map((day) => dayText(day, locale))
    .join(' ')
