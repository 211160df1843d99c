import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Schemas } from '../../../tools/client/client.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import { spanOf, type TraceSearch } from './search.ts'

export type Entry = Schemas['TraceEntry']

export const PAGE = 50

/** A page of what was done on the installation, newest first. */
export const tracePage = (installation_id: number, search: TraceSearch, zone: string) => {
  const { who, kind, action, page = 1 } = search
  const { time, from, to } = search
  return queryOptions({
    queryKey: ['trace', installation_id, { who, kind, action, page, time, from, to, zone }],
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/trace', {
          query: {
            installation_id,
            ...spanOf(search, zone, Date.now()),
            ...(who !== undefined && { user_id: who }),
            ...(kind && { object_type: kind }),
            ...(action && { action: [action] }),
            limit: PAGE,
            offset: (page - 1) * PAGE
          }
        })
      )
  })
}

/** One entry of any page. Null: it is not there. */
export const traceEntry = (installation_id: number, id: number) =>
  queryOptions({
    queryKey: ['trace entry', installation_id, id],
    queryFn: async () => {
      const query = { installation_id, id }
      const { data } = await call((caracal) => caracal.get('/api/v2/trace', { query }))
      return data[0] ?? null
    }
  })
