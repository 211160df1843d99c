import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Schedules, the outcomes of their runs, and gateways. */
export const automation: Migration = {
  name: 'automation',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('schedules')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('active', integer, (c) => c.notNull())
      .addColumn('topic', 'text', (c) => c.notNull())
      .addColumn('value', 'double precision', (c) => c.notNull())
      .addColumn('minute', 'text', (c) => c.notNull())
      .addColumn('hour', 'text', (c) => c.notNull())
      .addColumn('day_of_month', 'text', (c) => c.notNull())
      .addColumn('day_of_week', 'text', (c) => c.notNull())
      .addColumn('month', 'text', (c) => c.notNull())
      .addColumn('executor', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .addColumn('next_run', integer)
      .addColumn('zone', 'text', (c) => c.notNull())
      .addColumn('runs', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('schedules_installation_id')
      .on('schedules')
      .columns(['installation_id', 'id'])
      .execute()
    await schema.createIndex('schedules_next_run').on('schedules').columns(['next_run']).execute()

    await schema
      .createTable('schedule_runs')
      .addColumn('schedule_id', integer, (c) =>
        c.notNull().references('schedules.id').onDelete('cascade')
      )
      .addColumn('slot', integer, (c) => c.notNull())
      .addColumn('planned', integer, (c) => c.notNull())
      .addColumn('ran', integer, (c) => c.notNull())
      .addColumn('outcome', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('schedule_runs_pk', ['schedule_id', 'slot'])
      .execute()
    await schema
      .createIndex('schedule_runs_outcome')
      .on('schedule_runs')
      .columns(['outcome', 'planned'])
      .execute()

    await schema
      .createTable('gateways')
      .addColumn('installation_id', integer, (c) =>
        c.primaryKey().references('installations.id').onDelete('cascade')
      )
      .addColumn('password_hash', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .execute()
    await schema
      .createTable('gateway_policy')
      .addColumn('allow_unregistered', integer, (c) => c.notNull())
      .addColumn('default_organization_id', integer, (c) => c.notNull())
      .execute()
    await registry
      .insertInto('gateway_policy')
      .values({ allow_unregistered: 0, default_organization_id: 1 })
      .execute()
  }
}
