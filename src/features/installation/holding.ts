import { type Holding, inInstallation } from '../../holding.ts'
import { hasInstallations } from '../../registry/installations.ts'

export const installationHolding: Holding = {
  tables: [
    {
      table: 'installations',
      owner: 'organization',
      column: 'organization_id',
      onDelete: 'blocks'
    },
    {
      table: 'installation_meta',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    },
    {
      table: 'user_installations',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade'
    },
    { table: 'user_installations', owner: 'user', column: 'user_id', onDelete: 'cascade' },
    { table: 'erasures', owner: 'installation', column: 'installation_id', onDelete: 'later' }
  ],
  blocks: { what: 'installations', has: hasInstallations },
  traced: {
    object: 'installation',
    ownerOf: async ({ directory }, id) => inInstallation(id, directory.installation(id))
  }
}
