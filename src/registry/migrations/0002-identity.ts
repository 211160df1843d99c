import { integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Second factor, password reset, API keys and phones. */
export const identity: Migration = {
  name: 'identity',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    for (const column of ['name', 'agent', 'address', 'code_hash']) {
      await schema
        .alterTable('tokens')
        .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
        .execute()
    }
    for (const column of ['session_timeout', 'tries']) {
      await schema
        .alterTable('tokens')
        .addColumn(column, integer, (c) => c.notNull().defaultTo(0))
        .execute()
    }
    await schema.alterTable('tokens').addColumn('permissions', 'text').execute()

    await schema
      .createTable('sms_log')
      .addColumn('user_id', integer, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('sms_log_user_id')
      .on('sms_log')
      .columns(['user_id', 'created'])
      .execute()

    await schema
      .createTable('mobile_devices')
      .addColumn('firebase_token', 'text', (c) => c.primaryKey())
      .addColumn('device_id', 'text', (c) => c.notNull().unique())
      .addColumn('user_id', integer, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('mobile_devices_user_id')
      .on('mobile_devices')
      .columns(['user_id'])
      .execute()
  }
}
