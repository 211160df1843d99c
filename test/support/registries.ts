import { randomUUID } from 'node:crypto'
import { after, describe } from 'node:test'
import pg from 'pg'

export type RegistryEngine = { name: string; url: () => Promise<string> }

/** The address of the PostgreSQL server that test/run.ts started; absent when there is none. */
const server = process.env['TEST_POSTGRES_URL']

export const onSqlite = (subject: string, body: (engine: RegistryEngine) => void) =>
  describe(`${subject} on SQLite`, () => body({ name: 'SQLite', url: async () => '' }))

/**
 * Runs the same body on SQLite and on PostgreSQL, each on a registry of its own. Without a
 * PostgreSQL server it says so; with CI=true that is a failure.
 */
export function onEveryRegistry(subject: string, body: (engine: RegistryEngine) => void): void {
  onSqlite(subject, body)
  onPostgres(subject, body)
}

export function onPostgres(subject: string, body: (engine: RegistryEngine) => void): void {
  const skip = server || process.env['CI'] ? false : 'PostgreSQL is not installed'
  describe(`${subject} on PostgreSQL`, { skip }, () => {
    const databases: string[] = []
    after(async () => {
      for (const name of databases) await onServer(`drop database "${name}" with (force)`)
    })
    body({
      name: 'PostgreSQL',
      url: async () => {
        if (!server) throw new Error('PostgreSQL is not installed, and CI=true skips nothing')
        const name = `test_${randomUUID().replaceAll('-', '')}`
        await onServer(`create database "${name}"`)
        databases.push(name)
        const url = new URL(server)
        url.pathname = `/${name}`
        return url.href
      }
    })
  })
}

/** How many wait for a lock in the database of the client. */
export async function waitersFor(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(`select 1 from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`)
  return rowCount
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement)
  await client.end()
}
