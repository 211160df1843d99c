import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Schemas } from '../../../tools/client/client.ts'
import { call } from '../session/session.ts'

export type Alarm = Schemas['Alarm']
export type Severity = Alarm['severity']
export type AlarmState = Alarm['state']
export type AlarmFilter = { state?: AlarmState; severity?: Severity }

/** The worst first. */
export const severities = ['critical', 'warning', 'info'] as const
export const states = ['raised', 'acknowledged', 'cleared'] as const

/** Everything about alarms. An event makes all of it old. */
export const alarmsKey = ['alarms'] as const

const MINUTE_MS = 60_000
/** A sensor whose clock is ahead raises alarms in the future; the API takes no later time. */
const ALL_TIMES = { from: 0, to: 100_000_000_000 }

type Page = AlarmFilter & { limit: number; offset?: number; from?: number; to?: number }

/** Without an installation: of all that the caller sees. */
const read = (installation_id: number | undefined, page: Page): Promise<Alarm[]> =>
  call((caracal) => {
    const query = { ...ALL_TIMES, ...page }
    return installation_id === undefined
      ? caracal.get('/api/v2/alarm', { query })
      : caracal.get('/api/v2/alarm/{installation_id}', { path: { installation_id }, query })
  })

const PER_PAGE = 30

/** A list of alarms, newest first, page by page. */
export const alarms = (installation_id: number | undefined, filter: AlarmFilter) =>
  infiniteQueryOptions({
    queryKey: [...alarmsKey, 'list', installation_id ?? 'all', filter],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      read(installation_id, { ...filter, limit: PER_PAGE, offset }),
    getNextPageParam: (last, pages) =>
      last.length < PER_PAGE ? undefined : pages.length * PER_PAGE,
    refetchInterval: MINUTE_MS,
    staleTime: 0
  })

/** `isFull`: there may be more. */
export type Raised = { alarms: Alarm[]; worst: Severity | undefined; isFull: boolean }

export const worstOf = (alarms: readonly Pick<Alarm, 'severity'>[]): Severity | undefined =>
  severities.find((severity) => alarms.some((one) => one.severity === severity))

/** The newest alarms that are raised and not acknowledged, and the worst severity of all. */
export const raised = (limit: number) =>
  queryOptions({
    queryKey: [...alarmsKey, 'raised', limit],
    refetchInterval: MINUTE_MS,
    queryFn: async (): Promise<Raised> => {
      const alarms = await read(undefined, { state: 'raised', limit })
      const isFull = alarms.length === limit
      const seen = worstOf(alarms)
      return { alarms, isFull, worst: isFull ? await worstOfAll(seen) : seen }
    }
  })

/** Older alarms than those that were read may be worse. */
async function worstOfAll(seen: Severity | undefined): Promise<Severity | undefined> {
  for (const severity of severities) {
    if (severity === seen) return seen
    const found = await read(undefined, { state: 'raised', severity, limit: 1 })
    if (found.length > 0) return severity
  }
  return seen
}

/** More would make the plot one band. */
const MOST_OF_PLOT = 2000

/** Alarms that were raised between two times, and those that are still open. */
export const alarmsBetween = (installation_id: number, from: number, to: number) =>
  queryOptions({
    queryKey: [...alarmsKey, 'between', installation_id, from, to],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const limit = MOST_OF_PLOT
      const [own, ...open] = await Promise.all([
        read(installation_id, { from, to, limit }),
        read(installation_id, { to, limit, state: 'raised' }),
        read(installation_id, { to, limit, state: 'acknowledged' })
      ])
      return [...new Map([...own, ...open.flat()].map((one) => [one.id, one])).values()]
    }
  })

export const acknowledge = (
  { id, installation_id }: Pick<Alarm, 'id' | 'installation_id'>,
  note: string
): Promise<Alarm> =>
  call((caracal) =>
    caracal.put('/api/v2/alarm/{installation_id}/{alarm_id}/acknowledge', {
      path: { installation_id, alarm_id: id },
      body: { note }
    })
  )

/** Who has acknowledged. */
export const user = (user_id: number) =>
  queryOptions({
    queryKey: ['user', user_id],
    retry: false,
    queryFn: () => call((caracal) => caracal.get('/api/v2/user/{user_id}', { path: { user_id } }))
  })

/** Who was told of an alarm, and how it went, newest first. */
export const deliveries = ({ id, installation_id }: Pick<Alarm, 'id' | 'installation_id'>) =>
  queryOptions({
    queryKey: [...alarmsKey, 'deliveries', id],
    staleTime: 0,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/alarm/{installation_id}/{alarm_id}/delivery', {
          path: { installation_id, alarm_id: id }
        })
      )
  })
