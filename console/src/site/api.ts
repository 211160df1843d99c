import { queryOptions } from '@tanstack/react-query'
import { CaracalError, type Schemas, type Tagged } from '../../../tools/client/client.ts'
import { installationRecord, installations, me, OTHERS_MS, queryClient } from '../queries.ts'
import { blobOf, type Coming } from '../session/coming.ts'
import { call } from '../session/session.ts'

export type Installation = Schemas['Installation']
export type Quota = Schemas['Quota']
export type Usage = Schemas['Usage']
type Change = { body: Schemas['InstallationUpdate']; etag: string }

const pathOf = (installation_id: number) => ({ path: { installation_id } })

export const readInstallation = (id: number): Promise<Tagged<Installation>> =>
  call((caracal) => caracal.tagged('/api/v2/installation/{installation_id}', pathOf(id)))

export const updateInstallation = (id: number, { body, etag }: Change): Promise<Installation> =>
  call((caracal) =>
    caracal.put('/api/v2/installation/{installation_id}', {
      ...pathOf(id),
      header: { 'If-Match': etag },
      body
    })
  )

/** The page has what is there now. Names are on other pages too. */
export function showInstallation(now: Installation): void {
  queryClient.setQueryData(installationRecord(now.id).queryKey, now)
  void queryClient.invalidateQueries(installations)
}

const MAX_TRIES = 4

/** Adds or removes people. What others add or remove at the same moment stays. */
export async function changePeople(
  id: number,
  change: (users: readonly number[]) => number[]
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { value, etag } = await readInstallation(id)
    try {
      const body = { users: change(value.users) }
      return showInstallation(await updateInstallation(id, { body, etag }))
    } catch (error) {
      const isStale = error instanceof CaracalError && error.status === 412
      if (!isStale || tries === MAX_TRIES) throw error
    }
  }
}

/** The whole installation as a file. */
export const siteFile = async (id: number, { signal, show }: Coming): Promise<Blob> =>
  blobOf(
    await call((caracal) =>
      caracal.raw('POST', '/api/v2/installation/{installation_id}/export', pathOf(id), signal)
    ),
    show
  )

export const deleteInstallation = (id: number): Promise<unknown> =>
  call((caracal) => caracal.delete('/api/v2/installation/{installation_id}', pathOf(id)))

/** Users that the caller sees. */
export const users = queryOptions({
  queryKey: ['users'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/user'))
})

/** Organizations that the caller sees. */
export const organizationNames = queryOptions({
  queryKey: ['organization names'],
  queryFn: () =>
    call((caracal) => caracal.get('/api/v2/organization', { query: { minimal: true } }))
})

export const usage = (id: number) =>
  queryOptions({
    queryKey: ['usage', id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) => caracal.get('/api/v2/installation/{installation_id}/usage', pathOf(id)))
  })

export const readQuota = (id: number): Promise<Tagged<Quota>> =>
  call((caracal) => caracal.tagged('/api/v2/installation/{installation_id}/quota', pathOf(id)))

export const quota = (id: number) =>
  queryOptions({
    queryKey: ['quota', id],
    refetchInterval: OTHERS_MS,
    queryFn: async () => (await readQuota(id)).value
  })

type QuotaChange = { body: Schemas['QuotaUpdate']; etag: string }

export const updateQuota = (id: number, { body, etag }: QuotaChange): Promise<Quota> =>
  call((caracal) =>
    caracal.put('/api/v2/installation/{installation_id}/quota', {
      ...pathOf(id),
      header: { 'If-Match': etag },
      body
    })
  )

/** Whether the caller belongs to the topmost organization: it is the only one without quotas. */
export const reachesTop = queryOptions({
  queryKey: ['reaches the top'],
  queryFn: async () => {
    const { organisations } = await queryClient.ensureQueryData(me)
    const all = await Promise.all(
      organisations.map((organization_id) =>
        call((caracal) =>
          caracal.get('/api/v2/organization/{organization_id}/quota', { path: { organization_id } })
        ).catch((error) => {
          if (error instanceof CaracalError && error.status === 403) return undefined
          throw error
        })
      )
    )
    return all.some((one) => one !== undefined && one.effective.topics === null)
  }
})
