import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './port.ts'
import { temporaryDirectory } from './process.ts'

const isThere = ['prometheus', 'promtool'].every((tool) => !spawnSync(tool, ['--version']).error)
/** For `skip` of a test. With CI=true nothing is skipped. */
export const withoutPrometheus =
  isThere || process.env['CI'] === 'true' ? false : 'prometheus is not installed'

/** Runs promtool, and fails with what it says. */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  assert.equal(status, 0, `promtool ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`)
  return stdout + stderr
}

export type Series = { metric: Record<string, string>; value: [number, string] }

export type Prometheus = {
  /** The series that a query finds now. */
  query: (expression: string) => Promise<Series[]>
  /** An answer of its API. */
  get: <T>(path: string) => Promise<T>
}

/** A real server with this configuration. */
export async function startPrometheus(
  t: { after(close: () => unknown): void },
  config: string
): Promise<Prometheus> {
  const port = await freePort()
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(temporaryDirectory(), 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error'
    ],
    { stdio: 'ignore' }
  )
  t.after(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  await once(child, 'spawn')
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => assert.equal((await fetch(`${url}/-/ready`)).status, 200))
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}/api/v1/${path}`)
    const { status, data, error } = (await answer.json()) as {
      status: string
      data: T
      error?: string
    }
    assert.equal(status, 'success', `${path}: ${error}`)
    return data
  }
  const query = async (expression: string) => {
    const { result } = await get<{ result: Series[] }>(
      `query?query=${encodeURIComponent(expression)}`
    )
    return result
  }
  return { query, get }
}
