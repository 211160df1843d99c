import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isChdbInstalled } from '../../src/history/chdb.ts'
import { lacking, missingForEmulation, withChdb } from './emulation.ts'
import { freePort } from './port.ts'

/** Emulation takes minutes, which a developer's every run should not. */
export async function wayToChdb(): Promise<'here' | 'emulated' | { missing: string }> {
  if (await isChdbInstalled()) return 'here'
  const missing = missingForEmulation()
  if (missing) return { missing }
  return process.env['CI'] ? 'emulated' : { missing: `${lacking}; with CI=true it runs emulated` }
}

export const ACCOUNT = { user: 'caracal', password: 'p:w/é' }

/** With the front alone in it. */
export const CLUSTER = 'east'

export type Front = {
  /** Of a database on it. */
  url: (database: string) => string
  port: number
  /** On the same port and directory. */
  restart: () => Promise<void>
  kill: () => Promise<void>
  stop: () => Promise<void>
}

/** bin/clickhouse-dev.ts on a port and a directory of its own; `ready` says when it answers. */
export async function startFront(): Promise<Front> {
  const directory = mkdtempSync(join(tmpdir(), 'clickhouse-'))
  const port = await freePort()
  const { command, args, env } = await withChdb(
    fileURLToPath(new URL('../../bin/clickhouse-dev.ts', import.meta.url))
  )
  // Emulated threads cost more than they bring.
  const threads = (await isChdbInstalled()) ? '0' : '1'
  const options = { port: String(port), dir: directory, threads, cluster: CLUSTER, ...ACCOUNT }
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const start = () =>
    spawn(command, [...args, ...given], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  let child: ChildProcess = start()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  const stop = async () => {
    await kill()
    rmSync(directory, { recursive: true, force: true })
  }
  const account = `${ACCOUNT.user}:${encodeURIComponent(ACCOUNT.password)}`
  const url = (database: string) => `http://${account}@127.0.0.1:${port}/${database}`
  const restart = async () => {
    await kill()
    child = start()
    await ready({ port })
  }
  return { url, port, restart, kill, stop }
}

/** Emulated it takes half a minute and more. */
export async function ready({ port }: { port: number | string }): Promise<void> {
  const end = Date.now() + 600_000
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/ping`).catch((error: Error) => error)
    if (!(answer instanceof Error)) return
    if (Date.now() > end) throw new Error('the ClickHouse front does not answer', { cause: answer })
    await wait(100)
  }
}
