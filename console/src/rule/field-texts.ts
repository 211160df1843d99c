import type { Texts } from '../texts/texts.ts'
import type { Draft, MetaPart, Part } from './form.ts'
import { daysText } from './words.ts'

/** How the fields of a rule are called, and how their values are said in one line. */
export function fieldTexts({ rule: t, alarm, edit }: Texts, locale: string) {
  const names: Readonly<Partial<Record<keyof Draft, string>>> = {
    ...{ name: t.name, active: t.active, severity: t.severity, message: t.message },
    ...{ for: t.for, hysteresis: t.hysteresis, hasHours: t.hours, days: t.days },
    ...{ from: t.from, to: t.to, by: t.watch, topics: t.topics, type: t.type },
    ...{ meta: t.byFunctions, join: `${t.all} / ${t.any}`, parts: t.when, json: t.json }
  }
  const texts: { [field in keyof Draft]?: (value: never) => string } = {
    active: (value: boolean) => (value ? edit.yes : edit.no),
    hasHours: (value: boolean) => (value ? edit.yes : edit.no),
    severity: (value: Draft['severity']) => alarm.severities[value],
    days: (days: Draft['days']) => daysText(days, locale),
    by: (value: Draft['by']) => (value === 'topics' ? t.byTopics : t.byFunctions),
    topics: (topics: Draft['topics']) => topics.join(', '),
    meta: (meta: readonly MetaPart[]) =>
      meta.flatMap(({ key, value }) => (key ? [`${key} = ${value}`] : [])).join(', '),
    join: (value: Draft['join']) => t[value],
    parts: (parts: readonly Part[]) =>
      parts.map(({ kind, first, second }) => `${t.kinds[kind]} ${first} ${second}`).join('; ')
  }
  return {
    nameOf: (field: string) => names[field as keyof Draft],
    textOf: (value: unknown, field: string) => {
      const text = texts[field as keyof Draft] as ((value: unknown) => string) | undefined
      return text?.(value)
    }
  }
}
