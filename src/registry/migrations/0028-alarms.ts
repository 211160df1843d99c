import { sql } from 'kysely'
import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'
import { addGrants } from '../role-grants.ts'

/** Rules that watch values, what they have seen, and the alarms that they raised. [ADR-0065] */
export const alarms: Migration = {
  name: 'alarms',
  isAdditive: true,
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('rules')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.references('installations.id').onDelete('cascade')
      )
      .addColumn('organization_id', integer, (c) =>
        c.references('organizations.id').onDelete('cascade')
      )
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('active', integer, (c) => c.notNull())
      .addColumn('severity', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    for (const column of ['installation_id', 'organization_id']) {
      await schema.createIndex(`rules_${column}`).on('rules').columns([column, 'id']).execute()
    }
    await schema
      .createTable('alarms')
      .addColumn('id', integer, idColumn(registry))
      // No reference: there may be many, so the eraser removes them after the installation.
      .addColumn('installation_id', integer, (c) => c.notNull())
      // No reference: an alarm stays in the list after its rule is deleted. 0: a gateway is gone.
      .addColumn('rule_id', integer, (c) => c.notNull())
      .addColumn('topic', 'text', (c) => c.notNull())
      .addColumn('severity', 'text', (c) => c.notNull())
      .addColumn('raised_at', integer, (c) => c.notNull())
      .addColumn('acknowledged_at', integer)
      .addColumn('acknowledged_by', integer)
      .addColumn('note', 'text', (c) => c.notNull())
      .addColumn('cleared_at', integer)
      .addColumn('value', 'double precision')
      .addColumn('message', 'text', (c) => c.notNull())
      .addColumn('is_told', integer, (c) => c.notNull())
      .addUniqueConstraint('alarms_once', ['installation_id', 'rule_id', 'topic', 'raised_at'])
      .execute()
    const byTime = ['raised_at', 'id', 'installation_id']
    const ofOne = ['installation_id', 'raised_at', 'id']
    await schema.createIndex('alarms_raised').on('alarms').columns(byTime).execute()
    await schema.createIndex('alarms_installation').on('alarms').columns(ofOne).execute()
    // Few alarms are open, and they are what people and programs look for.
    const open = {
      alarms_open: byTime,
      alarms_open_installation: ofOne,
      alarms_open_rule: ['rule_id', 'installation_id']
    }
    for (const [name, columns] of Object.entries(open)) {
      const index = schema.createIndex(name).on('alarms').columns(columns)
      await index.where(sql.ref('cleared_at'), 'is', null).execute()
    }
    await schema
      .createTable('alarm_states')
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('part', integer, (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('alarm_states_pk', ['installation_id', 'part'])
      .execute()
    await schema
      .createTable('alarm_partitions')
      .addColumn('number', integer, (c) => c.primaryKey())
      .addColumn('holder', 'text', (c) => c.notNull())
      .addColumn('seen_at', integer, (c) => c.notNull())
      .addColumn('held', integer, (c) => c.notNull())
      .execute()
    await addGrants(
      registry,
      new Map([
        [
          'Manager',
          [
            'alarm/acknowledge/all',
            'alarm/list/all',
            'rule/create_delete/all',
            'rule/list/all',
            'rule/update/all'
          ]
        ],
        ['User', ['alarm/acknowledge/assigned', 'alarm/list/assigned', 'rule/list/assigned']]
      ])
    )
  }
}
