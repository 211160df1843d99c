import { type Holding, inOrganization } from '../../holding.ts'
import { listExecutors, organizationOfExecutor, removeExecutors } from './executors.ts'

export const notificationHolding: Holding = {
  tables: [
    {
      table: 'notification_executors',
      owner: 'organization',
      column: 'organization_id',
      onDelete: 'leave'
    },
    {
      table: 'notification_messages',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    },
    {
      table: 'notification_outputs',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    }
  ],
  blocks: {
    what: 'notification executors',
    right: 'notification/executor/manage',
    has: async (registry, ids) => (await listExecutors(registry, ids)).length > 0
  },
  leaveOrganizations: (registry, ids) => removeExecutors(registry, ids),
  traced: {
    object: 'output_executor',
    ownerOf: async ({ registry }, id) => inOrganization(await organizationOfExecutor(registry, id))
  }
}
