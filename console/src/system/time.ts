import { dateFormat } from '../formats.ts'
import { useLocale } from '../texts/texts.ts'

/** Writes a time in seconds as date and clock of the browser: the platform has no place. */
export function useTime(): (seconds: number) => string {
  const locale = useLocale()
  const format = dateFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  return (seconds) => format.format(seconds * 1000)
}
