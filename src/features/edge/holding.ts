import { type Holding, inOrganization } from '../../holding.ts'
import { findEdgeApp, moveEdgeApps } from './apps.ts'

export const edgeHolding: Holding = {
  tables: [
    { table: 'edge_apps', owner: 'organization', column: 'publisher_id', onDelete: 'leave' },
    {
      table: 'edge_app_instances',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    }
  ],
  async leaveOrganizations(registry, ids, { heir }) {
    if (heir !== null) await moveEdgeApps(registry, ids, heir)
  },
  traced: {
    object: 'edge_app',
    ownerOf: async ({ registry }, id) =>
      inOrganization((await findEdgeApp(registry, id))?.publisher.id)
  }
}
