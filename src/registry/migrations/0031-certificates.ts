import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'
import { addGrants } from '../role-grants.ts'

/** Client certificates, and the authority of the platform that issues them. [ADR-0068] */
export const certificates: Migration = {
  name: 'certificates',
  isAdditive: true,
  async up(registry) {
    const integer = integerType(registry)
    const { schema } = registry
    await schema
      .createTable('certificates')
      .addColumn('id', integer, idColumn(registry))
      .addColumn('installation_id', integer, (c) =>
        c.notNull().references('installations.id').onDelete('cascade')
      )
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('fingerprint', 'text', (c) => c.notNull().unique())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('is_issued', integer, (c) => c.notNull())
      .addColumn('mount_prefix', 'text')
      .addColumn('not_before', integer, (c) => c.notNull())
      .addColumn('not_after', integer, (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('revoked', integer)
      .execute()
    await schema
      .createIndex('certificates_installation_id')
      .on('certificates')
      .columns(['installation_id', 'id'])
      .execute()
    await schema
      .createIndex('certificates_not_after')
      .on('certificates')
      .columns(['not_after', 'revoked'])
      .execute()
    await schema
      .createTable('certificate_authority')
      .addColumn('id', integer, (c) => c.primaryKey())
      .addColumn('certificate', 'text', (c) => c.notNull())
      .addColumn('private_key', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .execute()
    await addGrants(
      registry,
      new Map([['Manager', ['certificate/issue/all', 'certificate/revoke/all']]])
    )
  }
}
