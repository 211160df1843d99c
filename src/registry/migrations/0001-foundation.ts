import type { CreateTableBuilder } from 'kysely'
import { idColumn, integerType } from '../dialect.ts'
import type { Migration } from '../migration.ts'
import type { Registry } from '../tables.ts'

/** Organizations, users, roles, tokens and installations. */
export const foundation: Migration = {
  name: 'foundation',
  async up(registry) {
    const integer = integerType(registry)
    const id = idColumn(registry)
    const { schema } = registry

    await schema
      .createTable('schema_migrations')
      .addColumn('number', integer, (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('applied', integer, (c) => c.notNull())
      .execute()

    await schema
      .createTable('organizations')
      .addColumn('id', integer, id)
      .addColumn('parent_id', integer, (c) => c.references('organizations.id'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('phone', 'text', (c) => c.notNull())
      .addColumn('notes', 'text', (c) => c.notNull())
      .addColumn('force_sms_login', integer, (c) => c.notNull())
      .$call(created(registry))
      .execute()
    await index(registry, 'organizations', ['parent_id'])
    await metaTable(registry, 'organization')

    await schema
      .createTable('roles')
      .addColumn('id', integer, id)
      .addColumn('name', 'text', (c) => c.notNull().unique())
      .addColumn('priority', integer, (c) => c.notNull())
      .addColumn('permissions', 'text', (c) => c.notNull())
      .execute()

    await schema
      .createTable('users')
      .addColumn('id', integer, id)
      .addColumn('role_id', integer, (c) => c.notNull().references('roles.id'))
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('email_folded', 'text', (c) => c.notNull().unique())
      .addColumn('password_hash', 'text', (c) => c.notNull())
      .addColumn('first_name', 'text', (c) => c.notNull())
      .addColumn('last_name', 'text', (c) => c.notNull())
      .addColumn('mobile', 'text', (c) => c.notNull())
      .addColumn('note', 'text', (c) => c.notNull())
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('sms_login', integer, (c) => c.notNull())
      .addColumn('expire_at', integer, (c) => c.notNull())
      .$call(created(registry))
      .execute()
    await index(registry, 'users', ['role_id'])
    await metaTable(registry, 'user')

    await schema
      .createTable('installations')
      .addColumn('id', integer, id)
      .addColumn('client_id', integer, (c) => c.notNull().unique())
      .addColumn('organization_id', integer, (c) => c.notNull().references('organizations.id'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('notes', 'text', (c) => c.notNull())
      .addColumn('timezone', 'text', (c) => c.notNull())
      .addColumn('capabilities', 'text', (c) => c.notNull())
      .$call(created(registry))
      .execute()
    await index(registry, 'installations', ['organization_id'])
    await metaTable(registry, 'installation')

    await linkTable(registry, 'organization')
    await linkTable(registry, 'installation')

    await schema
      .createTable('tokens')
      .addColumn('id', integer, id)
      .addColumn('user_id', integer, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('purpose', 'text', (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .addColumn('expires', integer, (c) => c.notNull())
      .addColumn('last_used', integer, (c) => c.notNull())
      .execute()
    await index(registry, 'tokens', ['user_id'])

    await schema
      .createTable('erasures')
      .addColumn('installation_id', integer, (c) => c.primaryKey())
      .addColumn('created', integer, (c) => c.notNull())
      .execute()

    await schema
      .createTable('changes')
      .addColumn('seq', integer, id)
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('ref', integer, (c) => c.notNull())
      .addColumn('created', integer, (c) => c.notNull())
      .execute()
  }
}

const created =
  (registry: Registry) =>
  <Table extends string>(table: CreateTableBuilder<Table, never>) =>
    table
      .addColumn('created', integerType(registry), (c) => c.notNull())
      .addColumn('updated', integerType(registry), (c) => c.notNull())

const index = (registry: Registry, table: string, columns: string[]) =>
  registry.schema
    .createIndex(`${table}_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute()

/** An owner has each key once, either plain or protected. */
async function metaTable(registry: Registry, owner: 'organization' | 'user' | 'installation') {
  const integer = integerType(registry)
  const table = `${owner}_meta`
  await registry.schema
    .createTable(table)
    .addColumn(`${owner}_id`, integer, (c) =>
      c.notNull().references(`${owner}s.id`).onDelete('cascade')
    )
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('protected', integer, (c) => c.notNull())
    .addColumn('key_folded', 'text', (c) => c.notNull())
    .addColumn('value_folded', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint(`${table}_pk`, [`${owner}_id`, 'key'])
    .execute()
  await index(registry, table, [`${owner}_id`, 'key_folded'])
}

/**
 * Links of a user are deleted with the user, or with the organization or installation. [contract:
 * User]
 */
async function linkTable(registry: Registry, target: 'organization' | 'installation') {
  const integer = integerType(registry)
  const table = `user_${target}s`
  await registry.schema
    .createTable(table)
    .addColumn('user_id', integer, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn(`${target}_id`, integer, (c) =>
      c.notNull().references(`${target}s.id`).onDelete('cascade')
    )
    .addPrimaryKeyConstraint(`${table}_pk`, ['user_id', `${target}_id`])
    .execute()
  await index(registry, table, [`${target}_id`])
}
