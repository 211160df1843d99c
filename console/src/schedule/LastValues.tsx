import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Problem } from '../frame/Problem.tsx'
import { shownValue } from '../live/shown.ts'
import { rights } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { lastValues, VALUES_DAYS } from './api.ts'
import type { Schedule } from './form.ts'
import { useLongMoment } from './NextRuns.tsx'
import { useTargets } from './rows.ts'

type Props = { schedule: Schedule; zone: string | undefined }

/** What was stored, whoever ran the schedule: its own values, or those of the function it commands. */
export function LastValues({ schedule, zone }: Props) {
  const { schedules: t } = useTexts()
  const { installation_id: id } = schedule
  const { rowOf, readOf } = useTargets(id)
  const topic = readOf(schedule.topic)
  const mayRead = useQuery(rights(id)).data?.['log/read'] === true
  if (!topic || !mayRead) return null
  return (
    <Stack gap={4} component="section" aria-label={t.values}>
      <Title order={3} size="h5">
        {t.values}
      </Title>
      <Text className="muted" style={{ overflowWrap: 'anywhere' }}>
        {t.valuesHelp(topic, VALUES_DAYS)}
      </Text>
      <List {...{ id, topic, zone }} meta={rowOf(schedule.topic)?.meta ?? {}} />
      <Link
        className="link"
        to="/installations/$id/plot"
        params={{ id }}
        search={{ topics: [topic] }}
      >
        {t.toPlot}
      </Link>
    </Stack>
  )
}

type ListProps = {
  id: number
  topic: string
  zone: string | undefined
  meta: Readonly<Record<string, string>>
}

function List({ id, topic, zone, meta }: ListProps) {
  const { schedules: t } = useTexts()
  const language = useLanguage()
  const moment = useLongMoment(zone)
  const { data, error, refetch } = useQuery(lastValues(id, topic))
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={60} />
  if (data.length === 0) return <Text>{t.noValues}</Text>
  return (
    <ol className="schedule-runs">
      {data.map(({ timestamp, value }) => {
        const { text, unit } = shownValue(value, meta, language)
        return (
          <li key={timestamp}>
            <time dateTime={new Date(timestamp * 1000).toISOString()}>
              {moment(timestamp * 1000)}
            </time>
            <span>
              {text}
              {unit && <span className="unit">{unit}</span>}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
