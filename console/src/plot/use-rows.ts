import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Row } from '../live/shown.ts'
import { functions, installationRecord, installations, status } from '../queries.ts'
import { type Look, looksOf } from './palette.ts'
import { chosenRows, plotRows } from './rows.ts'
import { zoneOr } from './zone.ts'

/** What can be plotted, with a function's name where there is one. */
export function useAllRows(id: number): { all: readonly Row[]; isPending: boolean } {
  const clientId = useQuery(installations).data?.find((one) => one.id === id)?.client_id
  const known = useQuery(functions(id))
  const newest = useQuery(status(id))
  const all = useMemo(() => {
    if (clientId === undefined) return []
    const withValues = (newest.data ?? []).map(({ topic }) => topic)
    return plotRows(clientId, known.data ?? [], withValues)
  }, [clientId, known.data, newest.data])
  return { all, isPending: clientId === undefined || known.isPending || newest.isPending }
}

/** The rows of some topics, and how their lines look. */
export function useChosen(
  id: number,
  topics: readonly string[],
  all: readonly Row[]
): { rows: readonly Row[]; looks: ReadonlyMap<string, Look> } {
  const clientId = useQuery(installations).data?.find((one) => one.id === id)?.client_id ?? 0
  const known = useQuery(functions(id)).data
  const wanted = topics.join('\n')
  // Values that arrive must not make new rows: the canvas would be made again.
  const found = chosenRows(clientId, topics, all)
  const same = JSON.stringify([clientId, found])
  const rows = useMemo((): Row[] => JSON.parse(same)[1], [same])
  const looks = useMemo(() => {
    const places = (known ?? []).flatMap(({ id, meta }) =>
      meta.topic_read ? [{ id, topic: meta.topic_read }] : []
    )
    const short = looksOf(wanted === '' ? [] : wanted.split('\n'), places)
    return new Map([...short].map(([topic, look]) => [`${clientId}/${topic}`, look]))
  }, [known, wanted, clientId])
  return { rows, looks }
}

/** The time zone of the installation; the browser's one if there is none. */
export const useZone = (id: number): string => {
  const zone = useQuery(installationRecord(id)).data?.timezone
  return useMemo(() => zoneOr(zone), [zone])
}
