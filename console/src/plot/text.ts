import { dateFormat, numberFormat } from '../formats.ts'

type Where = { zone: string; locale: string }

/** An instant, or an interval from its begin to its end, in the zone of the installation. */
export function timeText(
  time: number,
  seconds: number,
  { zone, locale }: Where,
  isFine = false
): string {
  const isDays = seconds >= 24 * 3600
  const format = dateFormat(locale, {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isDays && { year: 'numeric' }),
    ...(!isDays && { hour: '2-digit', minute: '2-digit' }),
    ...(seconds < 60 && { second: '2-digit' }),
    ...(isFine && { fractionalSecondDigits: 3 })
  })
  if (seconds === 0) return format.format(time * 1000)
  const last = isDays ? time + seconds - 1 : time + seconds
  return format.formatRange(time * 1000, last * 1000)
}

/** Whole seconds with the date and the year, as for the ends of a range. */
export const momentText = (time: number, { zone, locale }: Where): string =>
  dateFormat(locale, {
    timeZone: zone,
    dateStyle: 'medium',
    timeStyle: 'short'
  }).format(time * 1000)

/** `9 – 16 Nov 2026`, with the times if the range is shorter than some days. */
export function rangeText({ from, to }: { from: number; to: number }, where: Where): string {
  const isShort = to - from < 3 * 24 * 3600
  const format = dateFormat(where.locale, {
    timeZone: where.zone,
    day: 'numeric',
    month: 'short',
    ...(isShort ? { hour: '2-digit', minute: '2-digit' } : { year: 'numeric' }),
    ...(to - from < 600 && { second: '2-digit' })
  })
  return format.formatRange(from * 1000, to * 1000)
}

/** The length of an interval: `10 min`. */
export function lengthText(seconds: number, locale: string): string {
  const [unit, length] = (
    [
      ['day', 24 * 3600],
      ['hour', 3600],
      ['minute', 60],
      ['second', 1],
      ['millisecond', 0.001]
    ] as const
  ).find(([, length]) => seconds >= length) ?? ['second', 1]
  const count = Math.round(seconds / length)
  return numberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count)
}
