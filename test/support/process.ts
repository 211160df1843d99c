import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const root = new URL('../..', import.meta.url).pathname
const START_TIMEOUT_MS = 120_000

export type Caracal = {
  child: ChildProcess
  url: string
  mqttPort: number
  /** Everything printed so far. */
  printed: () => string
  kill: (signal: NodeJS.Signals) => Promise<number | null>
}

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

function launch(env: Record<string, string>, args: readonly string[], cwd = root) {
  const child = spawn(process.execPath, ['caracal.js', ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      CARACAL_HTTP_PORT: '0',
      CARACAL_MQTT_PORT: '0',
      ...env
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return { child, out: () => out, err: () => err }
}

/** Starts the real program, or another version of it, and waits until it is ready. */
export async function startCaracal(
  env: Record<string, string>,
  args: readonly string[] = [],
  program?: string
): Promise<Caracal> {
  const { child, out, err } = launch(env, args, program)
  const ready = Promise.withResolvers<void>()
  const fail = (why: string) => ready.reject(new Error(`${why}: ${out()}${err()}`))
  const timer = setTimeout(fail, START_TIMEOUT_MS, 'it is not ready yet')
  child.once('close', () => fail('it did not start'))
  // The last line of the banner begins with this word.
  child.stdout.on('data', () => out().includes('Try ') && ready.resolve())
  await ready.promise.finally(() => clearTimeout(timer))
  const url = /API\s+(\S+)\/api\/v2/.exec(out())?.[1] ?? ''
  const mqttPort = Number(/mqtt:\/\/\S+:(\d+)/.exec(out())?.[1])
  const kill = async (signal: NodeJS.Signals) => {
    const exited = once(child, 'exit')
    child.kill(signal)
    const [code] = await exited
    return code as number | null
  }
  return { child, url, mqttPort, printed: () => out() + err(), kill }
}

/** Runs the program when it should end by itself. */
export async function runCaracal(
  env: Record<string, string>,
  args: readonly string[] = []
): Promise<{ code: number | null; out: string; err: string }> {
  const { child, out, err } = launch(env, args)
  const [code] = await once(child, 'close')
  return { code: code as number | null, out: out(), err: err() }
}

/** Creates an installation as the first administrator, `boss@example.org`. */
export async function createInstallation(
  { url }: { url: string },
  name: string
): Promise<{ token: string; id: number; client_id: number }> {
  const auth = await fetch(`${url}/api/v2/auth`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('boss@example.org:correct horse battery')}` }
  })
  const { token } = (await auth.json()) as { token: string }
  const created = await fetch(`${url}/api/v2/installation`, {
    method: 'POST',
    headers: { 'x-api-key': token },
    body: JSON.stringify({ name })
  })
  const { id, client_id } = (await created.json()) as { id: number; client_id: number }
  return { token, id, client_id }
}

/** A directory that is removed when the tests of this file have ended. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'caracal-'))
  // A browser that was killed may leave helpers that write for another moment.
  after(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
  return path
}
