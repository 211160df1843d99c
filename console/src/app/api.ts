import { queryOptions } from '@tanstack/react-query'
import type { Tagged } from '../../../tools/client/client.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Instance, InstanceBody } from './draft.ts'

/** The apps of an installation. */
export const instances = (installation_id: number) =>
  queryOptions({
    queryKey: ['edge app instances', installation_id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/edge/app/configured/{installation_id}', { path: { installation_id } })
      )
  })

/** The apps that the caller may use or publishes. */
export const edgeApps = queryOptions({
  queryKey: ['edge apps'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/edge/app'))
})

/** The newest first. The publisher also sees those without a name. */
export const versionsOf = (app_id: number) =>
  queryOptions({
    queryKey: ['edge app versions', app_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/edge/app/{app_id}/version', {
          path: { app_id },
          query: { untagged: true }
        })
      )
  })

/** The app.json of a version, which never changes. */
export const appJson = (app_id: number, version: string) =>
  queryOptions({
    queryKey: ['app.json', app_id, version],
    enabled: version !== '',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/edge/app/{app_id}/configure', { path: { app_id }, query: { version } })
      )
  })

const pathOf = ({ id, installation_id }: Pick<Instance, 'id' | 'installation_id'>) => ({
  path: { installation_id, instance_id: id }
})

export const create = (installation_id: number, body: InstanceBody): Promise<Instance> =>
  call((caracal) =>
    caracal.post('/api/v2/edge/app/configured/{installation_id}', {
      path: { installation_id },
      body
    })
  )

/** One app of an installation, with the tag for its change. */
export const read = (instance: Instance): Promise<Tagged<Instance>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/edge/app/configured/{installation_id}/{instance_id}', pathOf(instance))
  )

export const update = (instance: Instance, body: InstanceBody, etag: string): Promise<Instance> =>
  call((caracal) =>
    caracal.put('/api/v2/edge/app/configured/{installation_id}/{instance_id}', {
      ...pathOf(instance),
      header: { 'If-Match': etag },
      body
    })
  )

export const remove = (instance: Instance): Promise<unknown> =>
  call((caracal) =>
    caracal.delete('/api/v2/edge/app/configured/{installation_id}/{instance_id}', pathOf(instance))
  )
