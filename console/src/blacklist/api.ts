import { queryOptions } from '@tanstack/react-query'
import type { Tagged } from '../../../tools/client/client.ts'
import { Drafts } from '../drafts.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Draft, Entry } from './draft.ts'

export const drafts = new Drafts<Draft>()

export const blacklist = queryOptions({
  queryKey: ['blacklist'],
  refetchInterval: OTHERS_MS,
  queryFn: () => call((caracal) => caracal.get('/api/v2/blacklist/topic'))
})

export const readEntry = (entry_id: number): Promise<Tagged<Entry>> =>
  call((caracal) => caracal.tagged('/api/v2/blacklist/topic/{entry_id}', { path: { entry_id } }))

export const createEntry = (body: Draft): Promise<Entry> =>
  call((caracal) => caracal.post('/api/v2/blacklist/topic', { body }))

export const updateEntry = (entry_id: number, body: Draft, etag: string): Promise<Entry> =>
  call((caracal) =>
    caracal.put('/api/v2/blacklist/topic/{entry_id}', {
      path: { entry_id },
      header: { 'If-Match': etag },
      body
    })
  )

export const deleteEntry = (entry_id: number): Promise<unknown> =>
  call((caracal) => caracal.delete('/api/v2/blacklist/topic/{entry_id}', { path: { entry_id } }))
