import { queryOptions } from '@tanstack/react-query'
import type { Schemas } from '../../../tools/client/client.ts'
import type { Owner } from '../frame/owner.ts'
import { OTHERS_MS, queryClient } from '../queries.ts'
import { call } from '../session/session.ts'
import { usage } from '../site/api.ts'
import { sending, type Way } from './sending.ts'

export type StoredFile = Schemas['File']

export const filesOf = ({ kind, id }: Owner) =>
  queryOptions({
    queryKey: ['files', kind, id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call<StoredFile[]>((caracal) =>
        kind === 'installation'
          ? caracal.get('/api/v2/file/installation/{installation_id}', {
              path: { installation_id: id }
            })
          : caracal.get('/api/v2/file/organization/{organization_id}', {
              path: { organization_id: id }
            })
      )
  })

/** The list and the room that is left have changed. */
export function askAgain(owner: Owner): void {
  void queryClient.invalidateQueries(filesOf(owner))
  if (owner.kind === 'installation') void queryClient.invalidateQueries(usage(owner.id))
}

const bodyOf = (content: Blob, name: string): FormData => {
  const body = new FormData()
  body.append('file', content, name)
  return body
}

type New = { content: Blob; name: string }

export const upload = ({ kind, id }: Owner, { content, name }: New, way: Way): Promise<void> => {
  const body = bodyOf(content, name)
  return call(() =>
    kind === 'installation'
      ? sending.post('/api/v2/file/installation/{installation_id}', {
          path: { installation_id: id },
          body,
          way
        })
      : sending.post('/api/v2/file/organization/{organization_id}', {
          path: { organization_id: id },
          body,
          way
        })
  )
}

export const replace = (
  { kind, id }: Owner,
  file_id: number,
  { content, name, way }: New & { way: Way }
): Promise<void> => {
  const body = bodyOf(content, name)
  return call(() =>
    kind === 'installation'
      ? sending.put('/api/v2/file/installation/{installation_id}/{file_id}', {
          path: { installation_id: id, file_id },
          body,
          way
        })
      : sending.put('/api/v2/file/organization/{organization_id}/{file_id}', {
          path: { organization_id: id, file_id },
          body,
          way
        })
  )
}

export const remove = ({ kind, id }: Owner, file_id: number): Promise<unknown> =>
  call<unknown>((caracal) =>
    kind === 'installation'
      ? caracal.delete('/api/v2/file/installation/{installation_id}/{file_id}', {
          path: { installation_id: id, file_id }
        })
      : caracal.delete('/api/v2/file/organization/{organization_id}/{file_id}', {
          path: { organization_id: id, file_id }
        })
  )

/** A file has at most 30 MiB, so the browser can hold it. */
export async function contentOf({ hash }: StoredFile): Promise<Blob> {
  const answer = await call((caracal) =>
    caracal.raw('GET', '/api/v2/file/download/{hash}', { path: { hash } })
  )
  return answer.blob()
}
