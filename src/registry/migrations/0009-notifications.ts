import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Executors of organizations; messages and outputs of installations, and the outcomes of sends. */
export const notifications: Migration = {
  name: 'notifications',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('notification_executors')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('organization_id', integer, (c) => c.notNull().references('organizations.id'))
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('config', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('notification_executors_organization_id')
      .on('notification_executors')
      .columns(['organization_id', 'id'])
      .execute()

    await schema
      .createTable('notification_messages')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('notification_messages_installation_id')
      .on('notification_messages')
      .columns(['installation_id', 'id'])
      .execute()

    await schema
      .createTable('notification_outputs')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('notification_message_id', integer, (c) =>
        c.notNull().references('notification_messages.id')
      )
      .addColumn('notification_output_executor_id', integer, (c) =>
        c.notNull().references('notification_executors.id')
      )
      .addColumn('config', 'text', (c) => c.notNull())
      .addColumn('sends', integer, (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('updated', integer, (c) => c.notNull())
      .execute()
    for (const column of [
      'installation_id',
      'notification_message_id',
      'notification_output_executor_id'
    ]) {
      await schema
        .createIndex(`notification_outputs_${column}`)
        .on('notification_outputs')
        .columns([column, 'id'])
        .execute()
    }

    await schema
      .createTable('notification_sends')
      .addColumn('output_id', integer, (c) =>
        c.notNull().references('notification_outputs.id').onDelete('cascade')
      )
      .addColumn('slot', integer, (c) => c.notNull())
      .addColumn('sent', integer, (c) => c.notNull())
      .addColumn('outcome', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('notification_sends_pk', ['output_id', 'slot'])
      .execute()
  }
}
