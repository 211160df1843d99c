import { queryOptions } from '@tanstack/react-query'
import type { Schemas, Tagged } from '../../../tools/client/client.ts'
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

export const mappings = (installation_id: number) =>
  queryOptions({
    queryKey: ['mappings', installation_id],
    refetchInterval: OTHERS_MS,
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/mapping/{installation_id}', { path: { installation_id } })
      )
  })

const pathOf = ({ id, installation_id }: Pick<Mapping, 'id' | 'installation_id'>) => ({
  path: { installation_id, mapping_id: id }
})

export const create = (installation_id: number, body: MappingBody): Promise<Mapping> =>
  call((caracal) =>
    caracal.post('/api/v2/mapping/{installation_id}', { path: { installation_id }, body })
  )

/** One mapping, with the tag for its change. */
export const read = (mapping: Mapping): Promise<Tagged<Mapping>> =>
  call((caracal) =>
    caracal.tagged('/api/v2/mapping/{installation_id}/{mapping_id}', pathOf(mapping))
  )

export const update = (mapping: Mapping, body: MappingBody, etag: string): Promise<Mapping> =>
  call((caracal) =>
    caracal.put('/api/v2/mapping/{installation_id}/{mapping_id}', {
      ...pathOf(mapping),
      header: { 'If-Match': etag },
      body
    })
  )

export const remove = (mapping: Mapping): Promise<unknown> =>
  call((caracal) =>
    caracal.delete('/api/v2/mapping/{installation_id}/{mapping_id}', pathOf(mapping))
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
