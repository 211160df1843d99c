import { type Holding, inInstallation, inOrganization, noOwner } from '../../holding.ts'
import { topOrganization } from '../../registry/organizations.ts'
import { findBlacklistEntry } from './entries.ts'

export const blacklistHolding: Holding = {
  traced: {
    object: 'mqtt',
    async ownerOf({ registry, directory }, id) {
      const entry = await findBlacklistEntry(registry, id)
      if (!entry) return noOwner
      const installation = directory.installationByTopic(entry.topic)
      // An entry whose topic belongs to no installation applies to the whole platform. [ADR-0025]
      return installation
        ? inInstallation(installation.id, installation)
        : inOrganization(await topOrganization(registry))
    }
  }
}
