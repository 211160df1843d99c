import type { Deps } from '../deps.ts'
import type { TraceObject } from '../lib/trace.ts'
import { findBlacklistEntry } from '../registry/blacklist.ts'
import { findEdgeApp } from '../registry/edge-apps.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { organizationOfExecutor } from '../registry/notification-executors.ts'
import { topOrganization } from '../registry/organizations.ts'
import { findPolicy } from '../registry/registrations.ts'
import { findRole } from '../registry/roles.ts'
import type { NewTrace } from '../registry/trace.ts'
import { organizationsOf } from '../registry/users.ts'

export type TraceOwner = Pick<NewTrace, 'installation_id' | 'organization_id'>

export const nobody: TraceOwner = { installation_id: null, organization_id: null }

const inOrganization = (id: number | null | undefined): TraceOwner => ({
  installation_id: null,
  organization_id: id ?? null
})
const inInstallation = (id: number, ref: InstallationRef | undefined): TraceOwner => ({
  installation_id: id,
  organization_id: ref?.organization_id ?? null
})

/**
 * What an object is in that is not named by its path, as the registry has it now: no answer is
 * asked, for what it shows is not always where the object is. [ADR-0023]
 */
export async function ownerOf(
  { registry, directory }: Pick<Deps, 'registry' | 'directory'>,
  object: TraceObject,
  id: number
): Promise<TraceOwner> {
  switch (object) {
    case 'installation':
      return inInstallation(id, directory.installation(id))
    case 'organization':
      return inOrganization(id)
    case 'user':
      return inOrganization((await organizationsOf(registry, id))[0])
    case 'role':
      // The platform's are nobody's to see but who reaches everything.
      return inOrganization(
        (await findRole(registry, id))?.organization_id ?? (await topOrganization(registry))
      )
    case 'output_executor':
      return inOrganization(await organizationOfExecutor(registry, id))
    case 'edge_app':
      return inOrganization((await findEdgeApp(registry, id))?.publisher.id)
    case 'user_registration_policy': {
      const policy = await findPolicy(registry, id)
      return inOrganization(policy?.organization_id ?? policy?.parent_organization)
    }
    case 'mqtt': {
      const entry = await findBlacklistEntry(registry, id)
      if (!entry) return nobody
      const installation = directory.installationByTopic(entry.topic)
      // What is no installation's holds for the platform. [ADR-0025]
      return installation
        ? inInstallation(installation.id, installation)
        : inOrganization(await topOrganization(registry))
    }
    default:
      return nobody
  }
}
