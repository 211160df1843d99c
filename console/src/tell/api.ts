import { queryOptions } from '@tanstack/react-query'
import type { Schemas } from '../../../tools/client/client.ts'
import { call } from '../session/session.ts'
import type { Settings } from './settings.ts'

/** How the caller is told of alarms. */
export const settings = queryOptions({
  queryKey: ['alarm settings'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/user/me/alarm'))
})

export const store = (body: Settings): Promise<Settings> =>
  call((caracal) => caracal.put('/api/v2/user/me/alarm', { body }))

/** The browsers of the caller that push messages go to. */
export const push = queryOptions({
  queryKey: ['push'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/user/me/alarm/push'))
})

export const addBrowser = (body: Schemas['NewPushSubscription']) =>
  call((caracal) => caracal.post('/api/v2/user/me/alarm/push', { body }))

export const removeBrowser = (subscription_id: number): Promise<unknown> =>
  call((caracal) =>
    caracal.delete('/api/v2/user/me/alarm/push/{subscription_id}', { path: { subscription_id } })
  )

/** Everybody whom the caller sees. */
export const users = queryOptions({
  queryKey: ['users'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/user'))
})

/** How many users would be told of an alarm of the installation, by its severity. */
export const recipients = (installation_id: number) =>
  queryOptions({
    queryKey: ['alarm recipients', installation_id],
    staleTime: 0,
    retry: false,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/alarm/{installation_id}/recipient', { path: { installation_id } })
      )
  })
