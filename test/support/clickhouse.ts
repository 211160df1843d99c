import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './port.ts'

/** The place of chDB. CHDB_NODE is the command that runs its front; default: this Node. */
const prefix = process.env['CHDB_PREFIX'] ?? ''
const node = process.env['CHDB_NODE'] || process.execPath

const NO_LIBRARY = 'chDB has no library for linux-arm64: the ClickHouse SQL is not tested here'
const NO_PREFIX = 'CHDB_PREFIX is not set: the ClickHouse SQL is not tested here (CONTRIBUTING.md)'

/** For `skip` of a test: why there is no ClickHouse. False if there is one, or if there must be one. */
export const withoutClickhouse: string | false = whyWithout()

function whyWithout(): string | false {
  if (prefix !== '') return false
  if (`${process.platform}-${process.arch}` === 'linux-arm64') return NO_LIBRARY
  return process.env['CI'] === 'true' ? false : NO_PREFIX
}

export const ACCOUNT = { user: 'caracal', password: 'p:w/é' }

/** A cluster with only the front in it. */
export const CLUSTER = 'east'

export type Front = {
  /** The address of a database on the front. */
  url: (database: string) => string
  port: number
  /** Starts again on the same port and directory. */
  restart: () => Promise<void>
  kill: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts tools/clickhouse-dev.ts on a free port and in a new directory. */
export async function startFront(): Promise<Front> {
  assert(prefix !== '', NO_PREFIX)
  const directory = mkdtempSync(join(tmpdir(), 'clickhouse-'))
  const port = await freePort()
  const file = fileURLToPath(new URL('../../tools/clickhouse-dev.ts', import.meta.url))
  const options = { port: String(port), dir: directory, cluster: CLUSTER, ...ACCOUNT }
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  let child: ChildProcess
  const start = async () => {
    child = spawn(node, [file, ...given], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    await ready(child, port)
  }
  const kill = async () => {
    if (hasEnded(child)) return
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
    await start()
  }
  await start()
  return { url, port, restart, kill, stop }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

async function ready(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/ping`).catch((error: Error) => error)
    if (!(answer instanceof Error)) return
    if (hasEnded(child)) throw new Error('the ClickHouse front has ended', { cause: answer })
    await wait(100)
  }
}
