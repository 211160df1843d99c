import { queryOptions } from '@tanstack/react-query'
import type { Tagged } from '../../../tools/client/client.ts'
import { Drafts } from '../drafts.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Body, Draft, GatewayPolicy, Policy } from './draft.ts'

export const drafts = new Drafts<Draft>()
export const gatewayDrafts = new Drafts<GatewayPolicy>()

export const policies = queryOptions({
  queryKey: ['registration policies'],
  refetchInterval: OTHERS_MS,
  queryFn: () => call((caracal) => caracal.get('/api/v2/user/registration/policy'))
})

export const readPolicy = (policy_id: number): Promise<Tagged<Policy>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/user/registration/policy/{policy_id}', { path: { policy_id } })
  )

export const createPolicy = (body: Body): Promise<Policy> =>
  call((caracal) => caracal.post('/api/v2/user/registration/policy', { body }))

export const updatePolicy = (policy_id: number, body: Body, etag: string): Promise<Policy> =>
  call((caracal) =>
    caracal.put('/api/v2/user/registration/policy/{policy_id}', {
      path: { policy_id },
      header: { 'If-Match': etag },
      body
    })
  )

export const deletePolicy = (policy_id: number): Promise<unknown> =>
  call((caracal) =>
    caracal.delete('/api/v2/user/registration/policy/{policy_id}', { path: { policy_id } })
  )

export const gatewayPolicy = queryOptions({
  queryKey: ['gateway policy'],
  refetchInterval: OTHERS_MS,
  queryFn: () => call((caracal) => caracal.get('/api/v2/gateway/registration/policy'))
})

export const readGatewayPolicy = (): Promise<Tagged<GatewayPolicy>> =>
  call((caracal) => caracal.tagged('/api/v2/gateway/registration/policy'))

export const updateGatewayPolicy = (body: GatewayPolicy, etag: string): Promise<GatewayPolicy> =>
  call((caracal) =>
    caracal.put('/api/v2/gateway/registration/policy', { header: { 'If-Match': etag }, body })
  )
