import { forbidden, notFound } from '../../http/errors.ts'
import type { Principal } from '../../permission/principal.ts'
import type { Registry } from '../../registry/tables.ts'
import { type EdgeAppRecord, type EdgeAppScope, findEdgeApp, isEdgeAppWithin } from './apps.ts'
import { isConfigured } from './instances.ts'
import { type EdgeAppVersionRow, findVersion } from './versions.ts'

/**
 * Published public apps, apps of the caller's organizations and, for a gateway, its configured
 * apps.
 */
export const appsVisibleTo = (principal: Principal): EdgeAppScope => ({
  publisherIds: [...principal.organizationsBelow],
  isPublicToo: true,
  installationIds: gatewayInstallations(principal)
})

const gatewayInstallations = ({ kind, assigned }: Principal): number[] =>
  kind === 'gateway' ? [...assigned] : []

/** Only members of the publisher or of an organization above it may upload and publish. */
export const isPublisher = (principal: Principal, { publisher }: EdgeAppRecord): boolean =>
  principal.organizationsBelow.has(publisher.id)

/** A missing app and an invisible one get the same answer. */
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

/**
 * Finds by name or hash. Only the publisher and gateways that use it see a version without a name.
 */
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
