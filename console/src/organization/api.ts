import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import { queryClient } from '../queries.ts'
import { call } from '../session/session.ts'
import { organizationTree } from '../user/api.ts'

export type Organization = Schemas['Organization']
export type Quota = Schemas['Quota']

export const readOrganization = (organization_id: number): Promise<Tagged<Organization>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/organization/{organization_id}', { path: { organization_id } })
  )

export const organization = (organization_id: number) =>
  queryOptions({
    queryKey: ['organization', organization_id],
    queryFn: async () => (await readOrganization(organization_id)).value
  })

export const usage = (organization_id: number) =>
  queryOptions({
    queryKey: ['usage of organization', organization_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/organization/{organization_id}/usage', { path: { organization_id } })
      )
  })

export const quota = (organization_id: number) =>
  queryOptions({
    queryKey: ['quota of organization', organization_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/organization/{organization_id}/quota', { path: { organization_id } })
      )
  })

/** As they are now, with the tag for their change. */
export const readQuotas = (organization_id: number): Promise<Tagged<Quota>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/organization/{organization_id}/quota', { path: { organization_id } })
  )

/** Puts what is known of an organization now into the page. */
export function show(now: Organization): void {
  const { id, name, parent } = now
  queryClient.setQueryData(organization(id).queryKey, now)
  queryClient.setQueryData(organizationTree.queryKey, (all) => [
    ...(all ?? []).filter((one) => one.id !== id),
    { id, name, parent }
  ])
}

export const createOrganization = (body: Schemas['NewOrganization']): Promise<Organization> =>
  call((caracal) => caracal.post('/api/v2/organization', { body }))

export const updateOrganization = (
  organization_id: number,
  body: Schemas['OrganizationUpdate'],
  etag: string
): Promise<Organization> =>
  call((caracal) =>
    caracal.put('/api/v2/organization/{organization_id}', {
      path: { organization_id },
      header: { 'If-Match': etag },
      body
    })
  )

/** `force`: everything below it goes too. */
export const deleteOrganization = (organization_id: number, force: boolean): Promise<unknown> =>
  call((caracal) =>
    caracal.delete('/api/v2/organization/{organization_id}', {
      path: { organization_id },
      query: { force }
    })
  )

export const updateQuota = (
  organization_id: number,
  body: Schemas['QuotaUpdate'],
  etag: string
): Promise<Quota> =>
  call((caracal) =>
    caracal.put('/api/v2/organization/{organization_id}/quota', {
      path: { organization_id },
      header: { 'If-Match': etag },
      body
    })
  )

/** Every member, here and below, needs a new password, and gets a mail. */
export const forceNewPasswords = (organization_id: number): Promise<{ message: string }> =>
  call((caracal) =>
    caracal.post('/api/v2/organization/{organization_id}/force_password_reset', {
      path: { organization_id }
    })
  )
