import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'

export type Role = Schemas['Role']
export type Explanation = Schemas['PermissionExplanation']

export const roles = queryOptions({
  queryKey: ['roles'],
  refetchInterval: OTHERS_MS,
  queryFn: () => call((caracal) => caracal.get('/api/v2/role'))
})

export const readRole = (role_id: number): Promise<Tagged<Role>> =>
  call((caracal) => caracal.tagged('/api/v2/role/{role_id}', { path: { role_id } }))

export const createRole = (body: Schemas['NewRole']): Promise<Role> =>
  call((caracal) => caracal.post('/api/v2/role', { body }))

export const updateRole = (
  role_id: number,
  { body, etag }: { body: Schemas['RoleUpdate']; etag: string }
): Promise<Role> =>
  call((caracal) =>
    caracal.put('/api/v2/role/{role_id}', {
      path: { role_id },
      header: { 'If-Match': etag },
      body
    })
  )

export const deleteRole = (role_id: number): Promise<unknown> =>
  call((caracal) => caracal.delete('/api/v2/role/{role_id}', { path: { role_id } }))

/** Everybody whom the caller sees. */
export const people = queryOptions({
  queryKey: ['people'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/user'))
})

type Asked = { user_id: number; permission: string; installation_id: number | undefined }

export const explanation = (query: Asked) =>
  queryOptions({
    queryKey: ['explanation', query],
    enabled: query.user_id > 0 && query.permission !== '',
    staleTime: 0,
    queryFn: () => call((caracal) => caracal.get('/api/v2/permission/explain', { query }))
  })
