import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './port.ts'

const INSTALLED = '/usr/lib/postgresql'

export type Postgres = {
  url: string
  /** Ends the server like a power failure. After `resume` the committed data are there again. */
  crash(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL server in a temporary directory, or in one that is kept; undefined if it is
 * not installed.
 */
export async function startPostgres(kept?: string): Promise<Postgres | undefined> {
  const bin = findBin()
  if (!bin) return undefined
  if (kept) mkdirSync(kept, { recursive: true })
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'caracal-postgres-'))
  const account = postgresAccount()
  if (account) chownSync(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const run = { ...account, cwd: directory }
  const made = `-D ${data} -U caracal --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync`
  if (!existsSync(data)) {
    execFileSync(join(bin, 'initdb'), made.split(' '), { ...run, stdio: 'ignore' })
  }
  const port = await freePort()
  // The tests do not test the disk, and without fsync they are twice as fast.
  const served = `-D ${data} -p ${port} -h 127.0.0.1 -c unix_socket_directories= -F -c max_connections=400`
  const serve = async () => {
    const server = spawn(join(bin, 'postgres'), served.split(' '), {
      ...run,
      stdio: ['ignore', 'ignore', 'pipe']
    })
    for await (const chunk of server.stderr) {
      if (String(chunk).includes('ready to accept connections')) break
    }
    server.stderr.resume()
    return server
  }
  let server = await serve()
  const end = async (signal: NodeJS.Signals) => {
    server.kill(signal)
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
  }
  return {
    url: `postgres://caracal@127.0.0.1:${port}/postgres`,
    // SIGQUIT ends every connection at once and leaves recovery to the next start.
    crash: () => end('SIGQUIT'),
    resume: async () => {
      server = await serve()
    },
    stop: async () => {
      await end('SIGINT')
      if (!kept) rmSync(directory, { recursive: true, force: true })
    }
  }
}

function findBin(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined
  const versions = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a))
  return versions
    .map((v) => join(INSTALLED, v, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
}

/** PostgreSQL refuses to run as root, so root starts it as the user of its package. */
function postgresAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString())
  return { uid: id('-u'), gid: id('-g') }
}

/** Ends all other connections to that database, as a restart of the server would. */
export async function endConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`
  )
  await client.end()
}
