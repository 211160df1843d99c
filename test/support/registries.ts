import { randomUUID } from 'node:crypto'
import { describe } from 'node:test'
import pg from 'pg'

export type RegistryEngine = { name: string; url: () => Promise<string> }

/** The address of the PostgreSQL server that test/run.ts started; absent when there is none. */
const server = process.env['TEST_POSTGRES_URL']

export const sqlite: RegistryEngine = { name: 'SQLite', url: async () => '' }

export const onSqlite = (subject: string, body: (engine: RegistryEngine) => void) =>
  describe(`${subject} on SQLite`, () => body(sqlite))

/** The same body on SQLite and on PostgreSQL, each on a registry of its own. */
export function onEveryRegistry(subject: string, body: (engine: RegistryEngine) => void): void {
  onSqlite(subject, body)
  onPostgres(subject, body)
}

/**
 * On SQLite, and with CI=true on PostgreSQL too. What a registry must do is tested on both at any
 * time (test/engines), and so is one success of every endpoint (test/features/callers.test.ts).
 */
export function onRegistryMatrix(subject: string, body: (engine: RegistryEngine) => void): void {
  onSqlite(subject, body)
  if (process.env['CI']) onPostgres(subject, body)
}

/** Without a PostgreSQL server it says so; with CI=true that is a failure. */
export function onPostgres(subject: string, body: (engine: RegistryEngine) => void): void {
  const skip = server || process.env['CI'] ? false : 'PostgreSQL is not installed'
  describe(`${subject} on PostgreSQL`, { skip }, () =>
    body({ name: 'PostgreSQL', url: newDatabase })
  )
}

/** It goes with the server, which is temporary. */
async function newDatabase(): Promise<string> {
  if (!server) throw new Error('PostgreSQL is not installed, and CI=true skips nothing')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database "${name}"`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** How many wait for a lock in the database of the client. */
export async function waitersFor(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(`select 1 from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`)
  return rowCount
}
