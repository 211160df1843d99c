import type { Payer, QuotaName } from './lib/quota.ts'
import type { TraceObject } from './lib/trace.ts'
import type { UnixMs } from './lib/unix-time.ts'
import type { PlainPermission } from './permission/catalogue.ts'
import type { Directory } from './permission/directory.ts'
import { deleteInstallations } from './registry/installations.ts'
import { deleteOrganizations } from './registry/organizations.ts'
import type { Registry, Tables } from './registry/tables.ts'

/**
 * What a room keeps for an organization, an installation or a user. Every room declares it, as it
 * declares its routes. routes.ts lists all of them, and a test compares the list with the schema.
 */
export type Holding = {
  tables?: readonly HeldTable[]
  /** An organization that has these is deleted only by force and with the permission `right`. */
  blocks?: {
    /** The noun for the refusal "the organization has files". */
    what: string
    right?: PlainPermission
    has(registry: Registry, organizationIds: readonly number[]): Promise<boolean>
  }
  /** Runs before the organizations are deleted, in the same transaction. */
  leaveOrganizations?(
    registry: Registry,
    ids: readonly number[],
    context: { heir: number | null; now: UnixMs }
  ): Promise<void>
  /** Runs before the installations are deleted, in the same transaction. */
  leaveInstallations?(registry: Registry, ids: readonly number[], now: UnixMs): Promise<void>
  /** Runs after an installation got another time zone. */
  zoneChanged?(registry: Registry, installationId: number, now: UnixMs): Promise<void>
  /** How much of some quotas an installation, or an organization with all below it, uses. */
  used?(registry: Registry, payer: Payer): Promise<Partial<Record<QuotaName, number>>>
  /** Finds the owner of an object that the trace knows only by its id. */
  traced?: { object: TraceObject; ownerOf(place: Places, id: number): Promise<Owner> }
}

export type HeldTable = {
  table: keyof Tables
  owner: 'organization' | 'installation' | 'user'
  /** The column with the id of the owner. */
  column: string
  /**
   * What happens to the rows when their owner is deleted. `cascade`: the database deletes them.
   * `leave`: the room deletes or moves them first. `blocks`: the owner cannot be deleted while it
   * has such rows. `later`: a worker removes them. `stays`: the rows stay as they are.
   */
  onDelete: 'cascade' | 'leave' | 'blocks' | 'later' | 'stays'
  /** When an installation is copied, these rows are copied too. */
  copied?: true
}

type Places = { registry: Registry; directory: Directory }

/** The installation or organization of an object; both are null if it belongs to the platform. */
export type Owner = { installation_id: number | null; organization_id: number | null }

export const noOwner: Owner = { installation_id: null, organization_id: null }

export const inOrganization = (id: number | null | undefined): Owner => ({
  installation_id: null,
  organization_id: id ?? null
})

export const inInstallation = (
  id: number,
  ref: { organization_id: number } | undefined
): Owner => ({ installation_id: id, organization_id: ref?.organization_id ?? null })

/** Deletes installations and what every room keeps for them, in the caller's transaction. */
export async function removeInstallations(
  holdings: readonly Holding[],
  registry: Registry,
  ids: readonly number[],
  now: UnixMs
): Promise<void> {
  for (const { leaveInstallations } of holdings) await leaveInstallations?.(registry, ids, now)
  await deleteInstallations(registry, ids, now)
}

/** Deletes organizations and what every room keeps for them. Delete their installations first. */
export async function removeOrganizations(
  holdings: readonly Holding[],
  registry: Registry,
  ids: readonly number[],
  context: { heir: number | null; now: UnixMs }
): Promise<void> {
  for (const { leaveOrganizations } of holdings) await leaveOrganizations?.(registry, ids, context)
  await deleteOrganizations(registry, ids, context.now)
}
