import type { MountPlace } from '../lib/mount.ts'
import { recordChange } from './changes.ts'
import type { Registry } from './tables.ts'

export type GatewayPolicy = { allow_unregistered: boolean; default_organization_id: number }

export type GatewayCredential = { password_hash: string; mount: MountPlace | undefined }

/**
 * In front of the hash of a credential with a mount. A program that does not know mounts refuses
 * it; it would take it for one without a mount. [ADR-0062]
 */
const MOUNTED = 'mount$'

/** The saved credential of an installation's gateway. */
export async function findGateway(
  registry: Registry,
  installation_id: number
): Promise<GatewayCredential | undefined> {
  const row = await registry
    .selectFrom('gateways')
    .select(['password_hash', 'mount_prefix'])
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()
  if (!row) return undefined
  const { password_hash, mount_prefix } = row
  if (!password_hash.startsWith(MOUNTED) || mount_prefix === null) {
    return { password_hash, mount: undefined }
  }
  return {
    password_hash: password_hash.slice(MOUNTED.length),
    mount: { installation_id, prefix: mount_prefix }
  }
}

/** All of them, or those among `ids`. */
export async function installationsWithGateway(
  registry: Registry,
  ids?: readonly number[]
): Promise<number[]> {
  const rows = await registry
    .selectFrom('gateways')
    .select('installation_id')
    .$if(ids !== undefined, (query) => query.where('installation_id', 'in', ids ?? []))
    .execute()
  return rows.map(({ installation_id }) => installation_id)
}

/** Replaces the saved credential. The old one ends everywhere. */
export async function saveGateway(
  registry: Registry,
  installation_id: number,
  { password_hash, mount }: GatewayCredential,
  now: number
): Promise<void> {
  const saved = {
    password_hash: mount ? MOUNTED + password_hash : password_hash,
    mount_prefix: mount?.prefix ?? null,
    created: now
  }
  await registry
    .insertInto('gateways')
    .values({ installation_id, ...saved })
    .onConflict((conflict) => conflict.column('installation_id').doUpdateSet(saved))
    .execute()
  await recordChange(registry, 'gateway', installation_id, now)
}

/** Saves the first credential that a gateway presents. A second one changes nothing. */
export async function claimGateway(
  registry: Registry,
  installation_id: number,
  password_hash: string,
  now: number
): Promise<void> {
  await registry
    .insertInto('gateways')
    .values({ installation_id, password_hash, mount_prefix: null, created: now })
    .onConflict((conflict) => conflict.column('installation_id').doNothing())
    .execute()
}

export async function forgetGateway(
  registry: Registry,
  installation_id: number,
  now: number
): Promise<void> {
  await registry.deleteFrom('gateways').where('installation_id', '=', installation_id).execute()
  await recordChange(registry, 'gateway', installation_id, now)
}

export async function readGatewayPolicy(registry: Registry): Promise<GatewayPolicy> {
  const row = await registry.selectFrom('gateway_policy').selectAll().executeTakeFirstOrThrow()
  const { allow_unregistered, default_organization_id } = row
  return { allow_unregistered: allow_unregistered === 1, default_organization_id }
}

export async function writeGatewayPolicy(
  registry: Registry,
  { allow_unregistered, default_organization_id }: GatewayPolicy
): Promise<void> {
  await registry
    .updateTable('gateway_policy')
    .set({ allow_unregistered: allow_unregistered ? 1 : 0, default_organization_id })
    .execute()
}

/** Answers whether the capabilities changed. */
export async function writeCapabilities(
  registry: Registry,
  installation_id: number,
  capabilities: readonly string[]
): Promise<boolean> {
  const text = JSON.stringify(capabilities)
  const { numUpdatedRows } = await registry
    .updateTable('installations')
    .set({ capabilities: text })
    .where('id', '=', installation_id)
    .where('capabilities', '<>', text)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
