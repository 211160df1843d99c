import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { end, freePort, launch, timeUntilReady } from './child.ts'
import type { Bench } from './line.ts'

export type ClickHouse = { url(database: string): string; close(): Promise<void> }

/** ClickHouse's engine behind HTTP, with an empty directory. */
export async function startClickhouse(bench: Bench, name: string): Promise<ClickHouse> {
  if (!process.env['CHDB_PREFIX']) {
    throw new Error('CHDB_PREFIX must name the place of chDB (CONTRIBUTING.md)')
  }
  const port = await freePort()
  const dir = join(bench.workDir, `${name}-clickhouse`)
  mkdirSync(dir, { recursive: true })
  const options = ['--port', String(port), '--dir', dir, '--user', 'bench', '--password', 'bench']
  const server = launch(['tools/clickhouse-dev.ts', ...options])
  await timeUntilReady(`http://127.0.0.1:${port}/ping`, server)
  return {
    url: (database) => `http://bench:bench@127.0.0.1:${port}/${database}`,
    close: () => end(server, 'SIGKILL')
  }
}
