import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const INSTALLED = '/usr/lib/postgresql'

/** Starts a PostgreSQL server of our own in a temporary directory; undefined when none is installed. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  const bin = findBin()
  if (!bin) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'caracal-postgres-'))
  const account = postgresAccount()
  if (account) chownSync(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const run = { ...account, cwd: directory }
  execFileSync(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'caracal',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync'
    ],
    { ...run, stdio: 'ignore' }
  )
  const port = await freePort()
  // Tests ask whether we are right, not whether the disk is: no fsync makes them twice as fast.
  const server = spawn(
    join(bin, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      directory,
      '-F',
      '-c',
      'max_connections=200'
    ],
    { ...run, stdio: ['ignore', 'ignore', 'pipe'] }
  )
  const stop = async () => {
    server.kill('SIGINT')
    if (server.exitCode === null) await once(server, 'exit')
    rmSync(directory, { recursive: true, force: true })
  }
  for await (const chunk of server.stderr) {
    if (String(chunk).includes('ready to accept connections')) break
  }
  server.stderr.resume()
  return { url: `postgres://caracal@127.0.0.1:${port}/postgres`, stop }
}

function findBin(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined
  const versions = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a))
  return versions
    .map((v) => join(INSTALLED, v, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
}

/** PostgreSQL refuses to run as root, so root lends it the account its package made. */
function postgresAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString())
  return { uid: id('-u'), gid: id('-g') }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
