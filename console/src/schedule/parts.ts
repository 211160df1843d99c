import { type CronTexts, isEvery, readField } from './cron.ts'

/** The parts of a schedule that can be chosen in words, and the fields that say the same. */

export type Times = { kind: 'at'; times: readonly string[] }
export type Minutes = { kind: 'minutes'; every: number; from: number; to: number }
export type Hours = { kind: 'hours'; every: number; minute: number }
export type TimePart = Times | Minutes | Hours
export type TimeFields = Pick<CronTexts, 'minute' | 'hour'>

/** They divide an hour, or a day, into equal parts. */
export const minuteSteps = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30] as const
export const hourSteps = [1, 2, 3, 4, 6, 8] as const
export const MAX_TIMES = 24

const LAST_HOUR = 23

export const two = (n: number): string => String(n).padStart(2, '0')

/** `06:30`. */
export const clockText = (hour: number, minute: number): string => `${two(hour)}:${two(minute)}`

/** The step if the values are 0, n, 2n ... and divide `size`; undefined otherwise. */
export function stepOf(values: readonly number[], size: number): number | undefined {
  const step = size / values.length
  return Number.isInteger(step) && values.every((value, i) => value === i * step) ? step : undefined
}

export const isRun = (values: readonly number[]): boolean =>
  values.length > 0 && values.every((value, i) => value === (values[0] ?? 0) + i)

/** All ways to say the times of a day in words; none: only the fields can say it. */
export function timeParts({ minute, hour }: TimeFields): TimePart[] {
  const [minutes, hours] = [readField('minute', minute), readField('hour', hour)]
  if (!minutes || !hours) return []
  const parts: TimePart[] = []
  const every = stepOf(minutes, 60)
  const [from, to] = [hours[0], hours.at(-1)]
  if (minutes.length > 1 && every && isRun(hours) && from !== undefined && to !== undefined)
    parts.push({ kind: 'minutes', every, from, to })
  const hourStep = stepOf(hours, 24)
  const isHourly = hourSteps.some((step) => step === hourStep)
  if (minutes.length === 1 && hourStep && isHourly)
    parts.push({ kind: 'hours', every: hourStep, minute: minutes[0] ?? 0 })
  if (minutes.length * hours.length <= MAX_TIMES)
    parts.push({
      kind: 'at',
      times: hours.flatMap((one) => minutes.map((minute) => clockText(one, minute)))
    })
  return parts
}

/** Undefined: one schedule cannot have these times. It has the same minutes in each of its hours. */
export function timeFields(part: TimePart): TimeFields | undefined {
  if (part.kind === 'minutes') {
    const { every, from, to } = part
    const isWholeDay = from === 0 && to === LAST_HOUR
    return {
      minute: every === 1 ? '*' : `*/${every}`,
      hour: isWholeDay ? '*' : from === to ? String(from) : `${from}-${to}`
    }
  }
  if (part.kind === 'hours') {
    const { every, minute } = part
    return { minute: String(minute), hour: every === 1 ? '*' : `*/${every}` }
  }
  const times = [...new Set(part.times)].map((time) => time.split(':').map(Number))
  const hours = distinct(times.map(([hour = 0]) => hour))
  const minutes = distinct(times.map(([, minute = 0]) => minute))
  if (times.length === 0 || times.length !== hours.length * minutes.length) return undefined
  return { minute: listText(minutes), hour: listText(hours) }
}

export type DayFields = Pick<CronTexts, 'day_of_month' | 'day_of_week'>
export type DayKind = 'every' | 'week' | 'month'

/** All ways to choose the days in words; none: both kinds of days are restricted. */
export function dayKinds({ day_of_month, day_of_week }: DayFields): DayKind[] {
  const ofMonth = readField('day_of_month', day_of_month)
  const ofWeek = readField('day_of_week', day_of_week)
  if (!ofMonth || !ofWeek) return []
  const isEveryDate = isEvery('day_of_month', ofMonth)
  const isEveryWeekDay = isEvery('day_of_week', ofWeek)
  return [
    ...(isEveryDate && isEveryWeekDay ? (['every'] as const) : []),
    ...(isEveryDate ? (['week'] as const) : []),
    ...(isEveryWeekDay ? (['month'] as const) : [])
  ]
}

const distinct = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b)

/** Neighbours among sorted numbers. */
export function runsOf(values: readonly number[]): number[][] {
  const runs: number[][] = []
  for (const value of values) {
    const last = runs.at(-1)
    if (last?.at(-1) === value - 1) last.push(value)
    else runs.push([value])
  }
  return runs
}

/** The values as a field: `0,2,5-9`. Two neighbours are no range. */
export const listText = (values: readonly number[]): string =>
  runsOf(distinct(values))
    .flatMap((run) => (run.length > 2 ? [`${run[0]}-${run.at(-1)}`] : run.map(String)))
    .join(',')

/** As `listText`; all values are `*`. */
export const fieldText = (
  field: 'day_of_month' | 'day_of_week' | 'month',
  values: readonly number[]
): string => (isEvery(field, distinct(values)) ? '*' : listText(values))
