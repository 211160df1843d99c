import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { numberFormat } from '../formats.ts'
import { Problem } from '../frame/Problem.tsx'
import { useLocale, useTexts } from '../texts/texts.ts'
import { runs } from './api.ts'
import type { Schedule } from './form.ts'
import { useLongMoment } from './NextRuns.tsx'

const PER_PAGE = 10
/** A run that is later than this says so. */
const LATE_S = 5

type Props = { schedule: Schedule; zone: string | undefined }

/** The runs that the platform did, and what came of each. */
export function LastRuns({ schedule, zone }: Props) {
  const { schedules: t } = useTexts()
  const { data, error, refetch } = useQuery(runs(schedule))
  const [most, setMost] = useState(PER_PAGE)
  const moment = useLongMoment(zone)
  return (
    <Stack gap={4} component="section" aria-label={t.last} align="stretch">
      <Title order={3} size="h5">
        {t.last}
      </Title>
      <Text className="muted">{t.lastHelp}</Text>
      {error ? (
        <Problem error={error} again={() => void refetch()} />
      ) : !data ? (
        <Skeleton h={120} />
      ) : data.length === 0 ? (
        <Text>{t.noRuns}</Text>
      ) : (
        <ol className="schedule-runs">
          {data.slice(0, most).map(({ planned, ran, outcome }) => (
            <li key={`${planned} ${ran}`}>
              <time dateTime={new Date(planned * 1000).toISOString()}>
                {moment(planned * 1000)}
              </time>
              <Outcome outcome={outcome} late={ran - planned} />
            </li>
          ))}
        </ol>
      )}
      {data && data.length > most && (
        <Button variant="default" size="xs" onClick={() => setMost(most + PER_PAGE)}>
          {t.more}
        </Button>
      )}
    </Stack>
  )
}

const colors: Readonly<Record<string, string>> = {
  published: 'var(--good)',
  failed: 'var(--bad)',
  skipped: 'var(--warning)'
}

function Outcome({ outcome, late }: { outcome: string; late: number }) {
  const { schedules: t } = useTexts()
  const seconds = numberFormat(useLocale(), { style: 'unit', unit: 'second' }).format(late)
  const word = t.outcomes[outcome as keyof typeof t.outcomes] ?? outcome
  return (
    <Text c={colors[outcome]}>
      {word}
      {outcome === 'published' && late > LATE_S && `, ${t.late(seconds)}`}
    </Text>
  )
}
