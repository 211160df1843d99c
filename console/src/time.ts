import { useQuery } from '@tanstack/react-query'
import { installationRecord } from './queries.ts'
import { useLocale } from './texts/texts.ts'

/** The time zone of the installation; the browser's if it has none. */
export function useZone(installation_id: number): string | undefined {
  const { data, isError } = useQuery(installationRecord(installation_id))
  if (!data && !isError) return undefined
  return data?.timezone || Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Writes a time in seconds as date and clock of the installation. */
export function useMoment(installation_id: number): (seconds: number) => string {
  const locale = useLocale()
  const timeZone = useZone(installation_id)
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    ...(timeZone && { timeZone })
  })
  return (seconds) => format.format(seconds * 1000)
}
