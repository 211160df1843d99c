import { type Holding, inInstallation, noOwner } from '../../holding.ts'

/** There may be many alarms, so the eraser removes them after the installation. */
export const alarmHolding: Holding = {
  tables: [
    { table: 'alarms', owner: 'installation', column: 'installation_id', onDelete: 'later' },
    {
      table: 'alarm_states',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade'
    },
    { table: 'alarm_groups', owner: 'installation', column: 'installation_id', onDelete: 'later' },
    {
      table: 'alarm_causes',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade'
    },
    { table: 'alarm_settings', owner: 'user', column: 'user_id', onDelete: 'cascade' },
    { table: 'push_subscriptions', owner: 'user', column: 'user_id', onDelete: 'cascade' },
    { table: 'alarm_messages', owner: 'user', column: 'user_id', onDelete: 'cascade' },
    { table: 'alarm_escalations', owner: 'user', column: 'user_id', onDelete: 'cascade' }
  ],
  traced: {
    object: 'alarm',
    async ownerOf({ registry, directory }, id) {
      const row = await registry
        .selectFrom('alarms')
        .select('installation_id')
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row) return noOwner
      return inInstallation(row.installation_id, directory.installation(row.installation_id))
    }
  }
}
