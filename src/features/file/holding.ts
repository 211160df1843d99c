import type { Holding } from '../../holding.ts'
import { letGoFilesOf } from './contents.ts'
import { filesOf, holdFiles } from './files.ts'

export const fileHolding: Holding = {
  tables: [
    { table: 'files', owner: 'organization', column: 'organization_id', onDelete: 'cascade' },
    {
      table: 'files',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    }
  ],
  blocks: { what: 'files', right: 'file/update/organization', has: holdFiles },
  leaveOrganizations: (registry, ids, { now }) => letGoFilesOf(registry, 'organization', ids, now),
  leaveInstallations: (registry, ids, now) => letGoFilesOf(registry, 'installation', ids, now),
  async used(registry, payer) {
    const reach = payer.kind === 'organization' ? 'below' : 'own'
    const { files, bytes } = await filesOf(registry, payer, { reach })
    return { files, file_bytes: bytes }
  }
}
