import './alarm.css'
import { Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Row } from '../live/shown.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import type { Alarm } from './api.ts'
import { Severity } from './Severity.tsx'

const MOST_SHOWN = 5

type Props = { id: number; alarms: readonly Alarm[]; rows: readonly Row[] }

/** What the bands of the plot mean, in words. */
export function AlarmsInRange({ id, alarms, rows }: Props) {
  const { alarm: t } = useTexts()
  const moment = useMoment(id)
  if (alarms.length === 0) return null
  return (
    <Stack component="section" gap="xs" aria-label={t.inRange}>
      <Text fw={600}>{t.inRange}</Text>
      <ul className="plot-alarms">
        {alarms.slice(0, MOST_SHOWN).map((one) => (
          <li key={one.id}>
            <Severity severity={one.severity} />
            <span>{one.message || rows.find(({ topic }) => topic === one.topic)?.name}</span>
            <span className="muted">
              {one.cleared_at === null
                ? t.since(moment(one.raised_at))
                : t.fromTo(moment(one.raised_at), moment(one.cleared_at))}
            </span>
          </li>
        ))}
      </ul>
      <Link
        className="link"
        to="/installations/$id/alarms"
        params={{ id }}
        search={{ state: 'all' }}
      >
        {alarms.length > MOST_SHOWN ? t.others(alarms.length - MOST_SHOWN) : t.toAlarms}
      </Link>
    </Stack>
  )
}
