import { type ColumnDefinitionBuilder, sql } from 'kysely'
import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Who is told of alarms, what is still to be told, and what was told. [ADR-0065] */
export const alarmMessages: Migration = {
  name: 'alarm messages',
  isAdditive: true,
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    const notNull = (c: ColumnDefinitionBuilder) => c.notNull()
    const ofUser = (c: ColumnDefinitionBuilder) =>
      c.notNull().references('users.id').onDelete('cascade')
    const ofGroup = (c: ColumnDefinitionBuilder) =>
      c.notNull().references('alarm_groups.id').onDelete('cascade')

    await schema
      .alterTable('alarms')
      .addColumn('told', integer, (c) => c.notNull().defaultTo(0))
      .execute()
    // Alarms whose state the teller has not seen.
    await schema
      .createIndex('alarms_untold')
      .on('alarms')
      .columns(['id', 'is_told', 'told', 'cleared_at'])
      .where((eb) => {
        const seen = eb.case().when('cleared_at', 'is', null).then(eb.lit(1)).else(eb.lit(2)).end()
        return eb.and([eb('is_told', '=', eb.lit(1)), eb('told', '!=', seen)])
      })
      .execute()

    await schema
      .createTable('alarm_settings')
      .addColumn('user_id', integer, (c) => ofUser(c).primaryKey())
      .addColumn('settings', 'text', notNull)
      .addColumn('updated', integer, notNull)
      .execute()
    await schema
      .createTable('push_keys')
      .addColumn('id', integer, (c) => c.primaryKey())
      .addColumn('public_key', 'text', notNull)
      .addColumn('private_key', 'text', notNull)
      .execute()
    await schema
      .createTable('push_subscriptions')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('user_id', integer, ofUser)
      .addColumn('endpoint', 'text', (c) => c.notNull().unique())
      .addColumn('p256dh', 'text', notNull)
      .addColumn('auth', 'text', notNull)
      .addColumn('created', integer, notNull)
      .execute()
    await schema
      .createIndex('push_subscriptions_user_id')
      .on('push_subscriptions')
      .columns(['user_id', 'id'])
      .execute()

    await schema
      .createTable('alarm_groups')
      .addColumn('id', integer, idColumn(registry))
      // No reference: the eraser removes them with the alarms.
      .addColumn('installation_id', integer, notNull)
      .addColumn('severity', 'text', notNull)
      .addColumn('is_first', integer, notNull)
      .addColumn('created', integer, notNull)
      .addColumn('due_at', integer, notNull)
      .addColumn('told_at', integer)
      .execute()
    await schema
      .createIndex('alarm_groups_installation_id')
      .on('alarm_groups')
      .columns(['installation_id', 'created'])
      .execute()
    await schema
      .createIndex('alarm_groups_open')
      .on('alarm_groups')
      .columns(['due_at', 'id'])
      .where(sql.ref('told_at'), 'is', null)
      .execute()
    await schema
      .createIndex('alarm_groups_open_installation')
      .on('alarm_groups')
      .columns(['installation_id', 'due_at'])
      .where(sql.ref('told_at'), 'is', null)
      .execute()
    await schema
      .createTable('alarm_group_members')
      .addColumn('group_id', integer, ofGroup)
      .addColumn('alarm_id', integer, (c) =>
        c.notNull().references('alarms.id').onDelete('cascade')
      )
      .addColumn('how', 'text', notNull)
      .addPrimaryKeyConstraint('alarm_group_members_pk', ['group_id', 'alarm_id'])
      .execute()
    await schema
      .createIndex('alarm_group_members_alarm_id')
      .on('alarm_group_members')
      .columns(['alarm_id', 'group_id'])
      .execute()
    await schema
      .createTable('alarm_causes')
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('rule_id', integer, notNull)
      .addColumn('next_at', integer, notNull)
      .addPrimaryKeyConstraint('alarm_causes_pk', ['installation_id', 'rule_id'])
      .execute()
    await schema
      .createIndex('alarm_causes_next_at')
      .on('alarm_causes')
      .columns(['next_at'])
      .execute()

    await schema
      .createTable('alarm_messages')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('user_id', integer, ofUser)
      .addColumn('channel', 'text', notNull)
      .addColumn('address', 'text', notNull)
      .addColumn('held_until', integer, notNull)
      .addColumn('created', integer, notNull)
      .addColumn('due_at', integer, notNull)
      .addColumn('tries', integer, notNull)
      .addColumn('tried_at', integer)
      .addColumn('is_pending', integer, notNull)
      .addColumn('result', 'text', notNull)
      .execute()
    await schema
      .createIndex('alarm_messages_due')
      .on('alarm_messages')
      .columns(['due_at', 'id'])
      .where(sql.ref('is_pending'), '=', sql.lit(1))
      .execute()
    await schema
      .createIndex('alarm_messages_user_id')
      .on('alarm_messages')
      .columns(['user_id', 'channel', 'tried_at'])
      .execute()
    await schema
      .createTable('alarm_message_groups')
      .addColumn('message_id', integer, (c) =>
        c.notNull().references('alarm_messages.id').onDelete('cascade')
      )
      .addColumn('group_id', integer, ofGroup)
      .addColumn('level', integer, notNull)
      .addPrimaryKeyConstraint('alarm_message_groups_pk', ['message_id', 'group_id'])
      .execute()
    await schema
      .createIndex('alarm_message_groups_group_id')
      .on('alarm_message_groups')
      .columns(['group_id', 'message_id'])
      .execute()
    await schema
      .createTable('alarm_escalations')
      .addColumn('group_id', integer, ofGroup)
      .addColumn('user_id', integer, ofUser)
      .addColumn('level', integer, notNull)
      .addColumn('due_at', integer, notNull)
      .addColumn('is_done', integer, notNull)
      .addPrimaryKeyConstraint('alarm_escalations_pk', ['group_id', 'user_id'])
      .execute()
    await schema
      .createIndex('alarm_escalations_user_id')
      .on('alarm_escalations')
      .columns(['user_id'])
      .execute()
    await schema
      .createIndex('alarm_escalations_due')
      .on('alarm_escalations')
      .columns(['due_at'])
      .where(sql.ref('is_done'), '=', sql.lit(0))
      .execute()
  }
}
