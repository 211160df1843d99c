import { type Holding, inInstallation, noOwner } from '../../holding.ts'

export const certificateHolding: Holding = {
  tables: [
    {
      table: 'certificates',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade'
    }
  ],
  traced: {
    object: 'certificate',
    async ownerOf({ registry, directory }, id) {
      const row = await registry
        .selectFrom('certificates')
        .select('installation_id')
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row) return noOwner
      return inInstallation(row.installation_id, directory.installation(row.installation_id))
    }
  }
}
