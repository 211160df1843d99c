import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import type { EdgeApp } from '../app/types.ts'
import { call } from '../session/session.ts'
import type { AppBody } from './draft.ts'

/** The organizations of the caller and those below them, for which apps are published. */
export const publishers = queryOptions({
  queryKey: ['publishers'],
  queryFn: () =>
    call((caracal) => caracal.get('/api/v2/organization', { query: { minimal: true } }))
})

export const createApp = (body: AppBody): Promise<EdgeApp> =>
  call((caracal) => caracal.post('/api/v2/edge/app', { body }))

/** One app, with the tag for its change. */
export const readApp = ({ id }: EdgeApp): Promise<Tagged<EdgeApp>> =>
  call((caracal) => caracal.tagged('/api/v2/edge/app/{app_id}', { path: { app_id: id } }))

export const updateApp = ({ id }: EdgeApp, body: AppBody, etag: string): Promise<EdgeApp> =>
  call((caracal) =>
    caracal.put('/api/v2/edge/app/{app_id}', {
      path: { app_id: id },
      header: { 'If-Match': etag },
      body
    })
  )

export const removeApp = ({ id }: EdgeApp): Promise<unknown> =>
  call((caracal) => caracal.delete('/api/v2/edge/app/{app_id}', { path: { app_id: id } }))

export type Files = { app_json: File | undefined; app_lua: File | undefined }

/** The hash of the new version; undefined: the files are those of the latest version. */
export const upload = async (app_id: number, files: Files): Promise<string | undefined> => {
  const body = new FormData()
  if (files.app_json) body.append('app_json', files.app_json, 'app.json')
  if (files.app_lua) body.append('app_lua', files.app_lua, 'app.lua')
  const path = { app_id }
  const answer = await call((caracal) =>
    caracal.post('/api/v2/edge/app/{app_id}/version', { path, body })
  )
  return answer?.hash
}

export const publish = (app_id: number, body: Schemas['NamedEdgeAppVersion']): Promise<unknown> =>
  call((caracal) => caracal.post('/api/v2/edge/app/{app_id}/publish', { path: { app_id }, body }))

/** The script of a version. */
export const script = (app_id: number, version: string): Promise<Blob> =>
  call(async (caracal) => {
    const sent = { path: { app_id }, query: { version } }
    return (await caracal.raw('GET', '/api/v2/edge/app/{app_id}/download', sent)).blob()
  })

/** The app.json of a version, as it was uploaded. */
export const description = (app_id: number, version: string): Promise<Blob> =>
  call(async (caracal) => {
    const sent = { path: { app_id }, query: { version } }
    return (await caracal.raw('GET', '/api/v2/edge/app/{app_id}/configure', sent)).blob()
  })
