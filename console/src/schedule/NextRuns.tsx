import { Stack, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import { useNow } from '../clock.ts'
import { dateFormat } from '../formats.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { type Cron, nextRuns } from './cron.ts'

const SHOWN = 10
const MINUTE_MS = 60_000

type Props = { cron: Cron | undefined; zone: string | undefined; isActive: boolean }

/** When it runs next, while one types. */
export function NextRuns({ cron, zone, isActive }: Props) {
  const { schedules: t } = useTexts()
  const moment = useLongMoment(zone)
  const minute = Math.floor(useNow() / MINUTE_MS)
  const key = JSON.stringify(cron)
  const runs = useMemo(() => {
    const read: Cron | undefined = key && JSON.parse(key)
    return read && zone ? nextRuns(read, zone, minute * MINUTE_MS, SHOWN) : []
  }, [key, zone, minute])
  const problem = !cron ? t.fieldsWrong : !zone ? t.noZone : runs.length === 0 ? t.never : undefined
  return (
    <Stack gap={4} component="section" aria-label={t.next}>
      <Title order={3} size="h5">
        {t.next}
      </Title>
      {problem ? (
        <Text c={cron && !zone ? undefined : 'var(--warning)'}>{problem}</Text>
      ) : (
        <>
          <Text className="muted">{t.inZone(zone ?? '')}</Text>
          {!isActive && <Text c="var(--warning)">{t.isOff}</Text>}
          <ol className="schedule-runs">
            {runs.map(({ at, isMoved }) => (
              <li key={at}>
                <time dateTime={new Date(at).toISOString()}>{moment(at)}</time>
                {isMoved && <Text c="var(--warning)">{t.moved}</Text>}
              </li>
            ))}
          </ol>
        </>
      )}
    </Stack>
  )
}

/** Writes milliseconds as weekday, date and clock of the zone. */
export function useLongMoment(timeZone: string | undefined): (at: number) => string {
  const locale = useLocale()
  const format = dateFormat(locale, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    // As the fields, and the sentence above them.
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...(timeZone && { timeZone })
  })
  return (at) => format.format(at)
}
