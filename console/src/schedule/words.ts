import { dateFormat } from '../formats.ts'
import type { Texts } from '../texts/en.ts'
import { type Cron, isEvery } from './cron.ts'
import { clockText, isRun, runsOf, stepOf } from './parts.ts'

type Says = Texts['schedules']['says']

const A_SUNDAY = Date.UTC(2024, 0, 7)
const DAY_MS = 86_400_000
/** More would be a long list. */
const MAX_TIMES_SAID = 6

const WEEKDAYS = '1,2,3,4,5'
const WEEKEND = '0,6'

/** Monday first, as in the lists. */
const mondayFirst = (days: readonly number[]): number[] =>
  days.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))

export const weekDayName = (day: number, locale: string): string =>
  dateFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(A_SUNDAY + day * DAY_MS)

/** The month begins with 0. */
export const monthName = (month: number, locale: string, style: 'long' | 'short' = 'long') =>
  dateFormat(locale, { month: style, timeZone: 'UTC' }).format(Date.UTC(2024, month))

/** Says the fields in a sentence: `weekdays at 06:30`. */
export function wordsOf(cron: Cron, t: Says, locale: string): string {
  const joined = (list: readonly string[]) => new Intl.ListFormat(locale).format(list)
  const said = { t, locale, joined }
  const time = timeText(cron, said)
  const days = isEveryDay(cron) && time.isRepeated ? '' : dayText(cron, said)
  return [days, time.text, monthText(cron, said)].filter(Boolean).join(' ')
}

type Said = { t: Says; locale: string; joined: (list: readonly string[]) => string }

const isEveryDay = ({ day_of_month, day_of_week }: Cron): boolean =>
  isEvery('day_of_month', day_of_month) && isEvery('day_of_week', day_of_week)

/** `isRepeated`: it needs no day to be understood, as `every 15 minutes`. */
function timeText(
  { minute, hour }: Cron,
  { t, joined }: Said
): { text: string; isRepeated: boolean } {
  const [firstHour = 0, lastHour = 0] = [hour[0], hour.at(-1)]
  const [firstMinute = 0, lastMinute = 0] = [minute[0], minute.at(-1)]
  const isAllDay = isEvery('hour', hour)
  const span = t.between(clockText(firstHour, firstMinute), clockText(lastHour, lastMinute))
  const repeated = (text: string) => ({ text, isRepeated: true })
  if (minute.length * hour.length <= MAX_TIMES_SAID) {
    const times = hour.flatMap((one) => minute.map((minute) => clockText(one, minute)))
    return { text: t.at(joined(times)), isRepeated: false }
  }
  const step = stepOf(minute, 60)
  if (minute.length > 1 && step) {
    const text = step === 1 ? t.everyMinute : t.everyMinutes(step)
    if (isAllDay) return repeated(text)
    return repeated(`${text} ${isRun(hour) ? span : t.inHours(numbersText(hour, t, joined))}`)
  }
  const hourStep = stepOf(hour, 24)
  const [only] = minute.length === 1 ? minute : []
  if (only !== undefined && hourStep) {
    const text = hourStep === 1 ? t.everyHour : t.everyHours(hourStep)
    return repeated(only === 0 ? text : `${text} ${t.atMinute(String(only))}`)
  }
  if (only !== undefined && isRun(hour)) return repeated(`${t.everyHour} ${span}`)
  const minutes =
    minute.length === 1 ? t.atMinute(String(only)) : t.atMinutes(joined(minute.map(String)))
  return repeated(
    isAllDay ? `${t.everyHour} ${minutes}` : `${minutes} ${t.inHours(numbersText(hour, t, joined))}`
  )
}

/** `1, 3 and 6 to 9`. */
const numbersText = (values: readonly number[], t: Says, joined: Said['joined']): string =>
  joined(rangeTexts(values, String, t))

const rangeTexts = (
  values: readonly number[],
  name: (value: number) => string,
  t: Says
): string[] =>
  runsOf(values).flatMap((run) =>
    run.length > 2 ? [t.range(name(run[0] ?? 0), name(run.at(-1) ?? 0))] : run.map(name)
  )

function dayText(cron: Cron, said: Said): string {
  const { t } = said
  if (isEveryDay(cron)) return t.everyDay
  const ofMonth = monthDayText(cron.day_of_month, said)
  const ofWeek = weekDayText(cron.day_of_week, said)
  if (isEvery('day_of_month', cron.day_of_month)) return ofWeek
  if (isEvery('day_of_week', cron.day_of_week)) return ofMonth
  return t.either(ofMonth, ofWeek)
}

function weekDayText(days: readonly number[], { t, locale, joined }: Said): string {
  const text = days.join(',')
  if (text === WEEKDAYS) return t.weekdays
  if (text === WEEKEND) return t.weekends
  return joined(mondayFirst(days).map((day) => t.weekDay(weekDayName(day, locale))))
}

function monthDayText(days: readonly number[], { t, joined }: Said): string {
  const list = rangeTexts(
    days.map((day) => day + 1),
    String,
    t
  )
  return t.monthDays(joined(list), days.length)
}

function monthText({ month }: Cron, { t, locale, joined }: Said): string {
  if (isEvery('month', month)) return ''
  return t.inMonths(joined(rangeTexts(month, (one) => monthName(one, locale), t)))
}

export const capital = (text: string, locale: string): string =>
  text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
