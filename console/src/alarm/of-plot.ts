import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Row } from '../live/shown.ts'
import type { Band } from '../plot/marks.ts'
import { DAY_S, lengthOf, type Span } from '../plot/range.ts'
import { rights } from '../queries.ts'
import { type Alarm, alarmsBetween } from './api.ts'

/** Alarms that began before the visible range may reach into it. */
const LEAD_S = 7 * DAY_S
const LEAST_STEP_S = 60
/** A range that follows the present asks again after so much of its length. */
const PARTS = 20

const none: readonly Alarm[] = []

/** The alarms of some topics that lasted within the visible range, newest first. */
export function useAlarmsOf(id: number, rows: readonly Row[], span: Span): readonly Alarm[] {
  const step = Math.max(LEAST_STEP_S, lengthOf(span) / PARTS)
  const from = Math.max(0, Math.floor((span.from - Math.max(LEAD_S, lengthOf(span))) / step) * step)
  const to = Math.ceil(span.to / step) * step
  const enabled = useQuery(rights(id)).data?.['alarm/list'] === true
  const all = useQuery({ ...alarmsBetween(id, from, to), enabled }).data ?? none
  return useMemo(() => {
    const topics = new Set(rows.map(({ topic }) => topic))
    return all
      .filter(({ topic }) => topics.has(topic))
      .filter(
        ({ raised_at, cleared_at }) => raised_at <= span.to && (cleared_at ?? span.to) >= span.from
      )
      .sort((a, b) => b.raised_at - a.raised_at || b.id - a.id)
  }, [all, rows, span])
}

type Lasting = { raised_at: number; cleared_at: number | null }

export const bandOf = ({ raised_at, cleared_at }: Lasting, severity: Band['severity']): Band => ({
  from: raised_at,
  to: cleared_at,
  severity
})
