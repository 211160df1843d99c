import type { Schemas } from '../../../tools/client/client.ts'
import { devices, functions } from '../queries.ts'
import { call } from '../session/session.ts'

/** A function or a device: both have the same fields. */
export type Model = Schemas['Function']
export type Kind = 'functions' | 'devices'
export type Place = { kind: Kind; installation_id: number }
export type Key = { key: string; value: string; isProtected: boolean }
type New = { type: string; meta: Record<string, string>; protected_meta?: Record<string, string> }

/** How permission names call the kind: with a verb, and with a type and a verb. */
export const words = {
  functions: { resource: 'functionx', byType: 'functionx' },
  devices: { resource: 'devicex', byType: 'device' }
} as const

export const listOf = ({ kind, installation_id }: Place) =>
  kind === 'functions' ? functions(installation_id) : devices(installation_id)

const functionOf = ({ installation_id }: Place, functionx_id: number) => ({
  installation_id,
  functionx_id
})
const deviceOf = ({ installation_id }: Place, devicex_id: number) => ({
  installation_id,
  devicex_id
})

export const read = (place: Place, id: number): Promise<Model> =>
  call((caracal) =>
    place.kind === 'functions'
      ? caracal.get('/api/v2/functionx/{installation_id}/{functionx_id}', {
          path: functionOf(place, id)
        })
      : caracal.get('/api/v2/devicex/{installation_id}/{devicex_id}', { path: deviceOf(place, id) })
  )

export const create = ({ kind, installation_id }: Place, body: New): Promise<Model> =>
  call((caracal) =>
    caracal.post(
      kind === 'functions'
        ? '/api/v2/functionx/{installation_id}'
        : '/api/v2/devicex/{installation_id}',
      { path: { installation_id }, body: { installation_id, ...body } }
    )
  )

/** Metadata that is not sent stays as it is. */
export const setType = (place: Place, id: number, type: string, silent: boolean) =>
  call((caracal): Promise<unknown> => {
    const body = { type, meta: null, installation_id: place.installation_id }
    const sent = { query: { silent }, body }
    return place.kind === 'functions'
      ? caracal.put('/api/v2/functionx/{installation_id}/{functionx_id}', {
          path: functionOf(place, id),
          ...sent
        })
      : caracal.put('/api/v2/devicex/{installation_id}/{devicex_id}', {
          path: deviceOf(place, id),
          ...sent
        })
  })

export const remove = (place: Place, id: number) =>
  call((caracal) =>
    place.kind === 'functions'
      ? caracal.delete('/api/v2/functionx/{installation_id}/{functionx_id}', {
          path: functionOf(place, id)
        })
      : caracal.delete('/api/v2/devicex/{installation_id}/{devicex_id}', {
          path: deviceOf(place, id)
        })
  )

const FUNCTION_KEY = '/api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}'
const DEVICE_KEY = '/api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}'

/** `isNew`: the key must not be there yet. Otherwise it must be there still. */
export const writeKey = (
  place: Place,
  id: number,
  { key, value, isProtected }: Key,
  { isNew, silent }: { isNew: boolean; silent: boolean }
) =>
  call((caracal): Promise<unknown> => {
    const sent = { query: { silent }, body: { value, protected: isProtected } }
    if (place.kind === 'functions') {
      const path = { ...functionOf(place, id), meta_key: key }
      return isNew
        ? caracal.post(FUNCTION_KEY, { path, ...sent })
        : caracal.put(FUNCTION_KEY, { path, ...sent })
    }
    const path = { ...deviceOf(place, id), meta_key: key }
    return isNew
      ? caracal.post(DEVICE_KEY, { path, ...sent })
      : caracal.put(DEVICE_KEY, { path, ...sent })
  })

export const removeKey = (place: Place, id: number, key: string, silent: boolean) =>
  call((caracal): Promise<unknown> => {
    const sent = { query: { silent } }
    return place.kind === 'functions'
      ? caracal.delete(FUNCTION_KEY, { path: { ...functionOf(place, id), meta_key: key }, ...sent })
      : caracal.delete(DEVICE_KEY, { path: { ...deviceOf(place, id), meta_key: key }, ...sent })
  })
