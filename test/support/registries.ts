import { randomUUID } from 'node:crypto'
import { describe } from 'node:test'
import pg from 'pg'

export type RegistryEngine = { name: string; url: () => Promise<string> }

/** The address of the PostgreSQL server that test/run.ts started; undefined if there is none. */
const server = process.env['TEST_POSTGRES_URL']

export const hasPostgres = server !== undefined

export const sqlite: RegistryEngine = { name: 'SQLite', url: async () => '' }
export const postgres: RegistryEngine = { name: 'PostgreSQL', url: newDatabase }

export const onSqlite = (subject: string, body: (engine: RegistryEngine) => void) =>
  describe(`${subject} on SQLite`, () => body(sqlite))

/** Runs the same tests on SQLite and on PostgreSQL, each with its own registry. */
export function onEveryRegistry(subject: string, body: (engine: RegistryEngine) => void): void {
  onSqlite(subject, body)
  onPostgres(subject, body)
}

/**
 * Runs on SQLite, and with CI=true on PostgreSQL too. The registry itself (test/engines), and one
 * success of every endpoint (test/features/callers.test.ts), are always tested on both.
 */
export function onRegistryMatrix(subject: string, body: (engine: RegistryEngine) => void): void {
  onSqlite(subject, body)
  if (process.env['CI']) onPostgres(subject, body)
}

/** Skips if there is no PostgreSQL server. With CI=true this is a failure. */
export function onPostgres(subject: string, body: (engine: RegistryEngine) => void): void {
  const skip = server || process.env['CI'] ? false : 'PostgreSQL is not installed'
  describe(`${subject} on PostgreSQL`, { skip }, () => body(postgres))
}

/** A new database. It is removed with the server, which is temporary. */
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

/** The number of connections that wait for a lock in the database of the client. */
export async function waitersFor(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(`select 1 from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`)
  return rowCount
}
