import { queryOptions } from '@tanstack/react-query'
import type { Schemas } from '../../../tools/client/client.ts'
import { queryClient } from '../queries.ts'
import { call } from '../session/session.ts'

export type Certificate = Schemas['Certificate']
export type Issued = Schemas['IssuedCertificate']

/** An installation never has more. */
const ALL = 500

export const certificates = (installation_id: number) =>
  queryOptions({
    queryKey: ['certificates', installation_id],
    queryFn: () =>
      call((caracal) =>
        caracal.get('/api/v2/certificate/{installation_id}', {
          path: { installation_id },
          query: { limit: ALL }
        })
      )
  })

export const brokerUrls = queryOptions({
  queryKey: ['broker urls'],
  queryFn: () => call((caracal) => caracal.get('/api/v2/gateway/broker'))
})

const readAgain = (installation_id: number) =>
  queryClient.invalidateQueries(certificates(installation_id))

export async function issue(
  installation_id: number,
  body: Schemas['NewCertificate']
): Promise<Issued> {
  const issued = await call((caracal) =>
    caracal.post('/api/v2/certificate/{installation_id}', { path: { installation_id }, body })
  )
  void readAgain(installation_id)
  return issued
}

export async function register(
  installation_id: number,
  body: Schemas['RegisteredCertificate']
): Promise<void> {
  await call((caracal) =>
    caracal.post('/api/v2/certificate/{installation_id}/register', {
      path: { installation_id },
      body
    })
  )
  await readAgain(installation_id)
}

export async function revoke({ id, installation_id }: Certificate): Promise<void> {
  await call((caracal) =>
    caracal.post('/api/v2/certificate/{installation_id}/{certificate_id}/revoke', {
      path: { installation_id, certificate_id: id }
    })
  )
  await readAgain(installation_id)
}

/** Of the platform. It is there as soon as a certificate was issued. */
export const authority = () => call((caracal) => caracal.get('/api/v2/certificate/authority'))
