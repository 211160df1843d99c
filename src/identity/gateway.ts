import type { MountPlace } from '../lib/mount.ts'
import { accountOf } from '../lib/owner.ts'
import { clientIdOf } from '../lib/topic.ts'
import type { PlainPermission, ScopedAction } from '../permission/catalogue.ts'
import type { Directory } from '../permission/directory.ts'
import { Grants } from '../permission/grants.ts'
import { holds, may, type Principal } from '../permission/principal.ts'
import type { InstallationRef } from '../registry/installations.ts'

/** What a gateway may do on its own installation; protected metadata is not included. */
const actions: readonly ScopedAction[] = [
  'devicex/create_delete',
  'devicex/list',
  'devicex/update',
  'edge/app/configured/list',
  'functionx/create_delete',
  'functionx/list',
  'functionx/update',
  'installation/list',
  'log/read',
  'mqtt/publish',
  'mqtt/subscribe',
  'notification/output/send',
  'schedule/list',
  'status/read'
]
const plain: readonly PlainPermission[] = ['edge/app/list']

const grants = Grants.of([...actions.map((action) => `${action}/assigned`), ...plain])

export const hasAllGatewayRights = (principal: Principal, installation: InstallationRef): boolean =>
  actions.every((action) => may(principal, action, installation)) &&
  plain.every((name) => holds(principal, name))

const PREFIX = 'edge-'

/** The MQTT client id of a gateway. */
export const mqttClientIdOf = (clientId: number): string => PREFIX + clientId

/**
 * The `client_id` of the installation; undefined if this is not the MQTT client id of a gateway.
 */
export function clientIdOfGateway(mqttClientId: string): number | undefined {
  const clientId = clientIdOf(mqttClientId.slice(PREFIX.length))
  return clientId && mqttClientIdOf(clientId) === mqttClientId ? clientId : undefined
}

const OWNER = 'gateway:'

/**
 * The installation whose gateway this connection is, by its credential or its MQTT client id;
 * undefined if it is not a gateway.
 */
export const installationOfGateway = (
  directory: Pick<Directory, 'installationByClientId'>,
  { owner, clientId }: { owner: string; clientId: string }
): number | undefined =>
  owner.startsWith(OWNER)
    ? Number(accountOf(owner).slice(OWNER.length))
    : directory.installationByClientId(clientIdOfGateway(clientId) ?? 0)?.id

/** A gateway is assigned to its own installation only. */
export const gatewayPrincipal = (
  { id }: InstallationRef,
  mount: MountPlace | undefined
): Principal => ({
  kind: 'gateway',
  owner: OWNER + id,
  userId: 0,
  tokenId: undefined,
  priority: 0,
  roleId: 0,
  expireAt: 0,
  grants,
  limit: undefined,
  mount,
  organizationIds: [],
  organizationsBelow: new Set(),
  organizationsAbove: new Set(),
  reachesTop: false,
  assigned: new Set([id])
})
