import { queryOptions } from '@tanstack/react-query'
import type { Tagged } from '../../../tools/client/client.ts'
import { Drafts } from '../drafts.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Body, Draft, Executor } from './draft.ts'

export const drafts = new Drafts<Draft>()

export const executors = queryOptions({
  queryKey: ['executors'],
  refetchInterval: OTHERS_MS,
  queryFn: () => call((caracal) => caracal.get('/api/v2/admin/notification/executor'))
})

export const readExecutor = (executor_id: number): Promise<Tagged<Executor>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/admin/notification/executor/{executor_id}', { path: { executor_id } })
  )

export const createExecutor = (body: Body): Promise<Executor> =>
  call((caracal) => caracal.post('/api/v2/admin/notification/executor', { body }))

export const updateExecutor = (executor_id: number, body: Body, etag: string): Promise<Executor> =>
  call((caracal) =>
    caracal.put('/api/v2/admin/notification/executor/{executor_id}', {
      path: { executor_id },
      header: { 'If-Match': etag },
      body
    })
  )

export const deleteExecutor = (executor_id: number): Promise<unknown> =>
  call((caracal) =>
    caracal.delete('/api/v2/admin/notification/executor/{executor_id}', { path: { executor_id } })
  )
