import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query'
import { CaracalError, type Schemas } from '../../tools/client/client.ts'
import { call, currentSession, onSession } from './session/session.ts'

const MINUTE = 60_000
/** How often a page looks for what others changed, where no event tells it. */
export const OTHERS_MS = 15_000

/** Errors of the caller do not get better by asking again. */
const isTheCallers = (error: unknown) => error instanceof CaracalError && error.status < 500

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: MINUTE,
      retry: (count, error) => !isTheCallers(error) && count < 3
    }
  }
})

let lastToken = currentSession().token
onSession(() => {
  const { token, ended } = currentSession()
  if (ended) return
  // Who signs in next may be somebody else.
  if (!token) queryClient.clear()
  else if (token !== lastToken) void askAgain()
  lastToken = token
})

/**
 * After a new sign-in everything is asked again. The same account keeps what it saw until then, so
 * that a form on the page stays. What one account saw is not for another one.
 */
async function askAgain(): Promise<void> {
  const before = queryClient.getQueryData(me.queryKey)
  const now = before && (await call((caracal) => caracal.get('/api/v2/user/me')).catch(() => null))
  if (before && before.id === now?.id) await queryClient.invalidateQueries()
  else await queryClient.resetQueries()
}

export const me = queryOptions({
  queryKey: ['me'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/user/me'))
})

export const installations = queryOptions({
  queryKey: ['installations'],
  queryFn: () =>
    call((caracal) => caracal.get('/api/v2/installationinfo', { query: { assigned: false } }))
})

export const freshness = queryOptions({
  queryKey: ['freshness'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/status')),
  refetchInterval: 10_000
})

/** What the caller may do, by the names of the permissions. */
export const permissions = queryOptions({
  queryKey: ['permissions'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/permission'))
})

/** What the caller may do on the installation, by the names of the permissions. */
export const rights = (installation_id: number) =>
  queryOptions({
    queryKey: ['rights', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/permission/installation/{installation_id}', {
          path: { installation_id }
        })
      )
  })

export const installationRecord = (installation_id: number) =>
  queryOptions({
    queryKey: ['installation', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/installation/{installation_id}', { path: { installation_id } })
      )
  })

/** The plots that are kept on the first page of the installation. */
export const board = (installation_id: number) =>
  queryOptions({
    queryKey: ['board', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/board/{installation_id}', { path: { installation_id } })
      )
  })

export const functions = (installation_id: number) =>
  queryOptions({
    queryKey: ['functions', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/functionx/{installation_id}', { path: { installation_id } })
      )
  })

export const devices = (installation_id: number) =>
  queryOptions({
    queryKey: ['devices', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/devicex/{installation_id}', { path: { installation_id } })
      )
  })

/** The grants of the caller as they are written, and the names that they cover. */
export const grants = queryOptions({
  queryKey: ['grants'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/permission'))
})

/** Whether the caller has a permission on the installation; for names with a type in them. */
export const holds = (installation_id: number, permission: string) =>
  queryOptions({
    queryKey: ['holds', installation_id, permission],
    queryFn: async () => {
      const query = { permission, installation_id }
      const { granted } = await call((caracal) =>
        caracal.get('/api/v2/permission/explain', { query })
      )
      return granted
    }
  })

export const status = (installation_id: number) =>
  queryOptions({
    queryKey: ['status', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/status/{installation_id}', { path: { installation_id } })
      )
  })

const MAX_FOUND = 30

/** Installations, functions and devices that the platform finds by the text. */
export const found = (q: string) =>
  queryOptions({
    queryKey: ['found', q],
    enabled: q !== '',
    queryFn: async ({ signal }) => {
      const query = { q, limit: MAX_FOUND }
      const answer = await call((caracal) =>
        caracal.raw('GET', '/api/v3beta/search', { query }, signal)
      )
      return (await answer.json()) as Schemas['SearchPage']
    }
  })

/** The newest value of one topic; null if it has none. */
export const newest = (installation_id: number, topic: string) =>
  queryOptions({
    queryKey: ['newest', installation_id, topic],
    queryFn: async () => {
      const path = { installation_id }
      const found = await call((caracal) =>
        caracal.post('/api/v2/status/{installation_id}', { path, body: [topic] })
      )
      return found[0] ?? null
    }
  })

const DAY_S = 24 * 3600
const POINTS = 96

/** The last day of some topics, for sparklines. */
export const lastDay = (installation_id: number, topics: readonly string[]) =>
  queryOptions({
    queryKey: ['last day', installation_id, topics],
    enabled: topics.length > 0,
    staleTime: 5 * MINUTE,
    queryFn: async () => {
      const to = Date.now() / 1000
      const page = await call((caracal) =>
        caracal.post('/api/v3beta/log/{installation_id}', {
          path: { installation_id },
          query: {
            from: to - DAY_S,
            to,
            order: 'asc',
            aggr_method: 'mean',
            aggr_interval: `${DAY_S / POINTS}s`,
            limit: 100_000
          },
          body: [...topics]
        })
      )
      return Map.groupBy(page.data, ({ topic }) => topic)
    }
  })

/** Messages of an installation that were acknowledged but not stored or passed on, newest first. */
export const ledger = (installation_id: number) =>
  queryOptions({
    queryKey: ['ledger', installation_id],
    staleTime: 0,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/ledger/{installation_id}', {
          path: { installation_id },
          query: { limit: 100 }
        })
      )
  })

const LEDGER_PAGE = 100

/** All of them, page by page. */
export const ledgerPages = (installation_id: number) =>
  infiniteQueryOptions({
    queryKey: ['ledger pages', installation_id],
    refetchInterval: OTHERS_MS,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before }) =>
      call((caracal) =>
        caracal.get('/api/v2/ledger/{installation_id}', {
          path: { installation_id },
          query: { limit: LEDGER_PAGE, before }
        })
      ),
    getNextPageParam: (page) => (page.length < LEDGER_PAGE ? undefined : page.at(-1)?.id)
  })

/** The keys and sessions of the caller. */
export const tokens = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => {
    const { id: user_id } = await queryClient.ensureQueryData(me)
    return call((caracal) =>
      caracal.get('/api/v2/user/{user_id}/security/token', { path: { user_id } })
    )
  }
})

/** Where devices reach the broker. */
export const brokerUrls = queryOptions({
  queryKey: ['broker'],
  queryFn: () => call(async (caracal) => (await caracal.get('/api/v2/gateway/broker')).urls)
})
