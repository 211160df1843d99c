import type { Schemas } from '../../../tools/client/client.ts'
import { mountOf, type Prefix } from '../certificate/prefix.ts'
import { freshness, installations, queryClient } from '../queries.ts'
import { call } from '../session/session.ts'

export type Credentials = Schemas['GatewayCredentials']

const readAgain = (): void => {
  void queryClient.invalidateQueries(freshness)
  void queryClient.invalidateQueries(installations)
}

/** A new credential, for the gateway or for a device below a prefix. The old one ends. */
export async function makeCredentials(
  installation_id: number,
  prefix: Prefix
): Promise<Credentials> {
  const made = await call((caracal) =>
    caracal.post('/api/v2/gateway/credentials/{installation_id}', {
      path: { installation_id },
      body: mountOf(prefix)
    })
  )
  readAgain()
  return made
}

export async function resetGateway(installation_id: number): Promise<void> {
  await call((caracal) =>
    caracal.post('/api/v2/gateway/reset/{installation_id}', { path: { installation_id } })
  )
  readAgain()
}
