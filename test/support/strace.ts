import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { text } from 'node:stream/consumers'

const isInstalled = spawnSync('strace', ['--version']).status === 0
const isCi = process.env['CI'] === 'true'

/** Why a test that needs strace is skipped. With CI=true the test fails in its place. */
export const withoutStrace =
  isInstalled || isCi ? false : 'strace is not installed: with CI=true this would fail'

export type Traced = Pick<SpawnSyncReturns<string>, 'signal' | 'status' | 'stdout' | 'stderr'>

/**
 * Ends a program that strace watches, after it has printed what it did. Node waits for its threads
 * at the end, and under strace this can take for ever (a wakeup is lost in glibc before 2.41).
 */
export function endTraced(report: string): void {
  writeSync(1, report)
  process.kill(process.pid, 'SIGKILL')
}

/** Runs a program of this Node under strace, which watches or changes its system calls. */
export async function strace(options: readonly string[], args: readonly string[]): Promise<Traced> {
  assert(isInstalled, 'strace is not installed')
  const traced = spawn(
    'strace',
    ['-f', '-qq', '-e', 'signal=none', ...options, process.execPath, ...args],
    // One thread for the files that promises read, so that its calls come in order.
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, UV_THREADPOOL_SIZE: '1' } }
  )
  const ended = new Promise<Pick<Traced, 'signal' | 'status'>>((resolve) =>
    traced.once('exit', (status, signal) => resolve({ status, signal }))
  )
  const [stdout, stderr] = await Promise.all([text(traced.stdout), text(traced.stderr)])
  return { ...(await ended), stdout, stderr }
}
