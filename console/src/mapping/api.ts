import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
import type { Owner } from '../frame/owner.ts'
import { OTHERS_MS } from '../queries.ts'
import { call } from '../session/session.ts'
import type { Mapping, MappingBody } from './draft.ts'

export type Trial = Schemas['MappingTrial']

export const makes = [
  'tasmota',
  'zigbee2mqtt',
  'shelly',
  'homeassistant',
  'chirpstack',
  'ttn'
] as const

export const mappings = ({ kind, id }: Owner) =>
  queryOptions({
    queryKey: ['mappings', kind, id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call<Mapping[]>((caracal) =>
        kind === 'installation'
          ? caracal.get('/api/v2/mapping/{installation_id}', { path: { installation_id: id } })
          : caracal.get('/api/v2/mapping/organization/{organization_id}', {
              path: { organization_id: id }
            })
      )
  })

export const create = ({ kind, id }: Owner, body: MappingBody): Promise<Mapping> =>
  call<Mapping>((caracal) =>
    kind === 'installation'
      ? caracal.post('/api/v2/mapping/{installation_id}', { path: { installation_id: id }, body })
      : caracal.post('/api/v2/mapping/organization/{organization_id}', {
          path: { organization_id: id },
          body
        })
  )

/** One mapping, with the tag for its change. */
export const read = ({ kind, id }: Owner, mapping_id: number): Promise<Tagged<Mapping>> =>
  call<Tagged<Mapping>>((caracal) =>
    kind === 'installation'
      ? caracal.tagged('/api/v2/mapping/{installation_id}/{mapping_id}', {
          path: { installation_id: id, mapping_id }
        })
      : caracal.tagged('/api/v2/mapping/organization/{organization_id}/{mapping_id}', {
          path: { organization_id: id, mapping_id }
        })
  )

type Change = { body: MappingBody; etag: string }

export const update = (
  { kind, id }: Owner,
  mapping_id: number,
  { body, etag }: Change
): Promise<Mapping> =>
  call<Mapping>((caracal) =>
    kind === 'installation'
      ? caracal.put('/api/v2/mapping/{installation_id}/{mapping_id}', {
          path: { installation_id: id, mapping_id },
          header: { 'If-Match': etag },
          body
        })
      : caracal.put('/api/v2/mapping/organization/{organization_id}/{mapping_id}', {
          path: { organization_id: id, mapping_id },
          header: { 'If-Match': etag },
          body
        })
  )

export const remove = ({ kind, id }: Owner, mapping_id: number): Promise<unknown> =>
  call((caracal) =>
    kind === 'installation'
      ? caracal.delete('/api/v2/mapping/{installation_id}/{mapping_id}', {
          path: { installation_id: id, mapping_id }
        })
      : caracal.delete('/api/v2/mapping/organization/{organization_id}/{mapping_id}', {
          path: { organization_id: id, mapping_id }
        })
  )

/** The newest first. */
export const lastMessages = (installation_id: number): Promise<Schemas['LastMessage'][]> =>
  call((caracal) =>
    caracal.get('/api/v2/mapping/{installation_id}/message', { path: { installation_id } })
  )

/** What the mapping makes of a message. Nothing is stored. Undefined: it is not complete yet. */
export const trial = (
  installation_id: number,
  message: { topic: string; payload: string },
  mapping: MappingBody | undefined
) =>
  queryOptions({
    queryKey: ['mapping trial', installation_id, message, mapping],
    enabled: message.topic !== '' && mapping !== undefined,
    staleTime: 0,
    retry: false,
    queryFn: () =>
      call((caracal) =>
        caracal.post('/api/v2/mapping/{installation_id}/try', {
          path: { installation_id },
          body: { ...message, mapping }
        })
      )
  })
