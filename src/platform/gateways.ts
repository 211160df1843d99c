import type { Logger } from 'pino'
import type { Store } from '../bus/embedded/store/store.ts'
import { installationOfGateway } from '../identity/gateway.ts'
import { GatewayPresence } from '../identity/gateway-presence.ts'
import type { Clock } from '../lib/clock.ts'
import { unixMs } from '../lib/unix-time.ts'
import type { Directory } from '../permission/directory.ts'
import { installationsWithCertificate } from '../registry/certificates.ts'
import { installationsWithGateway } from '../registry/gateways.ts'
import type { Registry } from '../registry/tables.ts'

type Parts = {
  registry: Registry
  directory: Directory
  store: Store | undefined
  clock: Clock
  log: Logger
}

/** An external broker does not tell who is connected, so there it stays empty. */
export async function openGatewayPresence(parts: Parts): Promise<GatewayPresence> {
  const { registry, directory, store, clock, log } = parts
  const presence = new GatewayPresence(clock)
  directory.onRemoved((id) => presence.forget(id))
  if (!store) return presence
  for (const id of await withCredential(registry, clock())) presence.expect(id)
  directory.onIdentityChange((change) => {
    if (!change || change.gateways.size === 0) return
    follow(presence, { registry, now: clock() }, change.gateways).catch((err) =>
      log.error({ err }, 'whether an installation has a gateway could not be read')
    )
  })
  const { sessions } = await store.contents
  for (const { clientId, owner, used } of sessions) {
    const id = installationOfGateway(directory, { owner, clientId })
    if (id !== undefined && directory.installation(id)) presence.wasThere(id, unixMs(used))
  }
  return presence
}

/** A new credential announces a gateway. One that was taken away is not missed. */
async function follow(
  presence: GatewayPresence,
  { registry, now }: { registry: Registry; now: number },
  ids: ReadonlySet<number>
): Promise<void> {
  const known = await withCredential(registry, now, [...ids])
  for (const id of ids) {
    if (known.has(id)) presence.expect(id)
    else presence.forget(id)
  }
}

/** A gateway signs in with a password or with a certificate. */
const withCredential = async (registry: Registry, now: number, ids?: readonly number[]) =>
  new Set([
    ...(await installationsWithGateway(registry, ids)),
    ...(await installationsWithCertificate(registry, now, ids))
  ])
