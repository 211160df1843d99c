import type { Principal } from '../../access/principal.ts'
import { forbidden, notFound } from '../../http/errors.ts'
import { isConfigured } from '../../registry/edge-app-instances.ts'
import { type EdgeAppVersionRow, findVersion } from '../../registry/edge-app-versions.ts'
import {
  type EdgeAppRecord,
  type EdgeAppScope,
  findEdgeApp,
  isEdgeAppWithin
} from '../../registry/edge-apps.ts'
import type { Registry } from '../../registry/tables.ts'

/** Public and published ones, the own organizations' and, for a gateway, what it runs. */
export const appsVisibleTo = (principal: Principal): EdgeAppScope => ({
  publisherIds: [...principal.organizationsBelow],
  isPublicToo: true,
  installationIds: gatewayInstallations(principal)
})

const gatewayInstallations = ({ kind, assigned }: Principal): number[] =>
  kind === 'gateway' ? [...assigned] : []

/** Only the publisher's organization and those above it upload and publish. */
export const isPublisher = (principal: Principal, { publisher }: EdgeAppRecord): boolean =>
  principal.organizationsBelow.has(publisher.id)

/** Missing and invisible look the same. */
export async function visibleApp(
  registry: Registry,
  principal: Principal,
  id: number
): Promise<EdgeAppRecord> {
  const isVisible = await isEdgeAppWithin(registry, id, appsVisibleTo(principal))
  const app = isVisible ? await findEdgeApp(registry, id) : undefined
  if (!app) throw forbidden()
  return app
}

export async function ownApp(
  registry: Registry,
  principal: Principal,
  id: number
): Promise<EdgeAppRecord> {
  const app = await visibleApp(registry, principal, id)
  if (!isPublisher(principal, app)) throw forbidden()
  return app
}

/** By name or hash; a version without a name is the publisher's, and the gateway's that runs it. */
export async function visibleVersion(
  registry: Registry,
  principal: Principal,
  app: EdgeAppRecord,
  version: string
): Promise<EdgeAppVersionRow> {
  const found = await findVersion(registry, app.id, version)
  if (!found) throw notFound()
  if (found.name !== null || isPublisher(principal, app)) return found
  const gateways = gatewayInstallations(principal)
  if (await isConfigured(registry, app.id, gateways, [found.hash])) return found
  throw notFound()
}
