import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'

/** Who may register, and registrations that wait for the key from the mail. */
export const registration: Migration = {
  name: 'registration',
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('registration_policies')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('email_pattern', 'text', (c) => c.notNull())
      .addColumn('pattern_set', integer, (c) => c.notNull())
      .addColumn('role_id', integer, (c) => c.notNull().references('roles.id'))
      .addColumn('organization_id', integer, (c) =>
        c.references('organizations.id').onDelete('cascade')
      )
      .addColumn('parent_organization', integer, (c) =>
        c.references('organizations.id').onDelete('cascade')
      )
      .execute()
    for (const column of ['organization_id', 'parent_organization']) {
      await schema
        .createIndex(`registration_policies_${column}`)
        .on('registration_policies')
        .columns([column])
        .execute()
    }

    await schema
      .createTable('registrations')
      .addColumn('key_hash', 'text', (c) => c.primaryKey())
      .addColumn('policy_id', integer, (c) =>
        c.notNull().references('registration_policies.id').onDelete('cascade')
      )
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('email_folded', 'text', (c) => c.notNull())
      .addColumn('first_name', 'text', (c) => c.notNull())
      .addColumn('last_name', 'text', (c) => c.notNull())
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('expires', integer, (c) => c.notNull())
      .execute()
    await schema
      .createIndex('registrations_email')
      .on('registrations')
      .columns(['email_folded', 'created'])
      .execute()
    await schema
      .createIndex('registrations_policy')
      .on('registrations')
      .columns(['policy_id', 'expires'])
      .execute()
  }
}
