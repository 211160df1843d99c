import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Schemas } from '../../../tools/client/client.ts'
import { OTHERS_MS, queryClient } from '../queries.ts'
import { call } from '../session/session.ts'

export type Health = Schemas['Health']
export type SystemState = Schemas['SystemState']
export type BackupState = Schemas['BackupState']
export type Client = Schemas['ConnectedClients']['clients'][number]

const LOOK_MS = 10_000
/** A point is a minute or longer. */
const HISTORY_LOOK_MS = 30_000
/** While a backup is made or read. */
const TASK_LOOK_MS = 1000
const PAGE = 50

/** It also answers while something does not work, with 503. */
export const health = queryOptions({
  queryKey: ['system', 'health'],
  staleTime: 0,
  refetchInterval: LOOK_MS,
  queryFn: async () => (await (await fetch('/health/ready')).json()) as Health
})

export const state = queryOptions({
  queryKey: ['system', 'state'],
  staleTime: 0,
  refetchInterval: LOOK_MS,
  queryFn: () => call((caracal) => caracal.get('/api/v2/system'))
})

/** How far back, in hours. */
export const ranges = [1, 24, 168] as const
export type Hours = (typeof ranges)[number]

export const history = (hours: Hours) =>
  queryOptions({
    queryKey: ['system', 'history', hours],
    staleTime: 0,
    refetchInterval: HISTORY_LOOK_MS,
    queryFn: () => call((caracal) => caracal.get('/api/v2/system/history', { query: { hours } }))
  })

export const backup = queryOptions({
  queryKey: ['system', 'backup'],
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.task ? TASK_LOOK_MS : OTHERS_MS),
  queryFn: () => call((caracal) => caracal.get('/api/v2/system/backup'))
})

export const clients = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['system', 'clients', search],
    staleTime: 0,
    refetchInterval: OTHERS_MS,
    initialPageParam: 0,
    queryFn: ({ pageParam: after }) =>
      call((caracal) =>
        caracal.get('/api/v2/system/client', { query: { search, after, limit: PAGE } })
      ),
    getNextPageParam: ({ clients }) => (clients.length < PAGE ? undefined : clients.at(-1)?.id)
  })

const lookAgain = () => queryClient.invalidateQueries(backup)

export async function backUp(): Promise<void> {
  await call((caracal) => caracal.post('/api/v2/system/backup')).finally(lookAgain)
}

export async function verify(): Promise<void> {
  await call((caracal) => caracal.post('/api/v2/system/backup/verify')).finally(lookAgain)
}

const REFUSED = 20

/** Messages that were acknowledged but not stored, of all installations and of none. */
export const refused = infiniteQueryOptions({
  queryKey: ['system', 'refused'],
  initialPageParam: undefined as number | undefined,
  queryFn: ({ pageParam: before }) =>
    call((caracal) => caracal.get('/api/v2/ledger', { query: { limit: REFUSED, before } })),
  getNextPageParam: (page) => (page.length < REFUSED ? undefined : page.at(-1)?.id)
})
