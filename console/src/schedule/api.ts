import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Tagged } from '../../../tools/client/client.ts'
import { zoneOr } from '../plot/zone.ts'
import { installationRecord, OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Schedule, ScheduleBody } from './form.ts'

export const schedules = (installation_id: number) =>
  queryOptions({
    queryKey: ['schedules', installation_id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/schedule/{installation_id}', { path: { installation_id } })
      )
  })

type Ref = Pick<Schedule, 'id' | 'installation_id'>

const pathOf = ({ id, installation_id }: Ref) => ({ path: { installation_id, schedule_id: id } })

export const create = (installation_id: number, body: ScheduleBody): Promise<unknown> =>
  call((caracal) =>
    caracal.post('/api/v2/schedule/{installation_id}', {
      path: { installation_id },
      body: { ...body, installation_id }
    })
  )

/** One schedule, with the tag for its change. */
export const read = (ref: Ref): Promise<Tagged<Schedule>> =>
  call((caracal) => caracal.tagged('/api/v2/schedule/{installation_id}/{schedule_id}', pathOf(ref)))

export const update = (ref: Ref, body: ScheduleBody, etag: string): Promise<Schedule> =>
  call((caracal) =>
    caracal.put('/api/v2/schedule/{installation_id}/{schedule_id}', {
      ...pathOf(ref),
      header: { 'If-Match': etag },
      body: { ...body, installation_id: ref.installation_id }
    })
  )

export const remove = (ref: Ref): Promise<unknown> =>
  call((caracal) => caracal.delete('/api/v2/schedule/{installation_id}/{schedule_id}', pathOf(ref)))

/** The last runs by the platform, newest first. */
export const runs = (ref: Ref) =>
  queryOptions({
    queryKey: ['schedule runs', ref.installation_id, ref.id],
    refetchInterval: OTHERS_MS,
    staleTime: 0,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/schedule/{installation_id}/{schedule_id}/runs', pathOf(ref))
      )
  })

export const VALUES_DAYS = 30
const DAY_S = 24 * 3600
const MAX_VALUES = 5

/** The newest values of a topic, newest first. */
export const lastValues = (installation_id: number, topic: string) =>
  queryOptions({
    queryKey: ['schedule values', installation_id, topic],
    refetchInterval: OTHERS_MS,
    staleTime: 0,
    queryFn: async () => {
      const to = Date.now() / 1000
      const page = await call((caracal) =>
        caracal.post('/api/v3beta/log/{installation_id}', {
          path: { installation_id },
          query: { from: to - VALUES_DAYS * DAY_S, to, order: 'desc', limit: MAX_VALUES },
          body: [topic]
        })
      )
      return page.data
    }
  })

/** The zone in which the platform reads the fields of a schedule. */
const zoneOf = (ref: Ref | undefined) =>
  queryOptions({
    queryKey: ['schedule zone', ref?.installation_id, ref?.id],
    queryFn: async () => {
      if (!ref) return undefined
      const query = { count: 1 }
      const answer = await call((caracal) =>
        caracal.get('/api/v2/schedule/{installation_id}/{schedule_id}/next', {
          ...pathOf(ref),
          query
        })
      )
      return answer.zone
    }
  })

/**
 * The zone of the installation's schedules. Without one of its own that of the platform counts,
 * which only a schedule tells. Undefined: it is not known.
 */
export function useScheduleZone(id: number, any: Schedule | undefined): string | undefined {
  const record = useQuery(installationRecord(id))
  const own = record.data?.timezone
  const isAsked = any !== undefined && !own && !record.isPending
  const other = useQuery({ ...zoneOf(any), enabled: isAsked }).data
  const zone = own || other
  return zone === undefined ? undefined : zoneOr(zone)
}
