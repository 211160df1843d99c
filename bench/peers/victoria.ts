import { spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { end, freePort, keepUntilExit, timeUntilReady } from '../child.ts'
import type { Bench } from '../line.ts'
import { bytesOf, type Peer, whenStill } from './peer.ts'

export const isVictoriaInstalled = (): boolean =>
  spawnSync('victoria-metrics', ['-version']).error === undefined

export type VictoriaPeer = Peer & {
  url: string
  /**
   * The address of a query that is evaluated at the end of every step: `(end - step, end]` with an
   * end one millisecond early is the same as `[begin, begin + step)`. It answers without its cache.
   */
  rangeUrl(query: string, window: { from: number; to: number; step: number }): string
  /** The address of a query at one moment. */
  instantUrl(query: string, at: number): string
}

const QUIET_MS = 3000

export async function startVictoriaPeer(bench: Bench, name: string): Promise<VictoriaPeer> {
  const directory = join(bench.workDir, `victoria-${name}`)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = keepUntilExit(
    spawn(
      'victoria-metrics',
      [
        `-storageDataPath=${directory}`,
        `-httpListenAddr=127.0.0.1:${port}`,
        '-retentionPeriod=100y',
        '-influxSkipSingleField',
        '-search.maxQueryDuration=5m',
        '-loggerLevel=ERROR'
      ],
      { stdio: 'ignore' }
    )
  )
  await timeUntilReady(`${url}/health`, child)
  const ask = async (path: string, body?: string): Promise<string> => {
    const method = body === undefined ? 'GET' : 'POST'
    const response = await fetch(url + path, { method, ...(body !== undefined && { body }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`VictoriaMetrics: ${response.status} ${text}`)
    return text
  }
  const queryUrl = (kind: string, given: Record<string, string>) =>
    `${url}/api/v1/${kind}?${new URLSearchParams({ ...given, nocache: '1' })}`
  const seconds = (ms: number) => String(ms / 1000)
  const instantUrl = (query: string, at: number) => queryUrl('query', { query, time: seconds(at) })
  return {
    name: 'VictoriaMetrics',
    url,
    write: async (lines) => {
      await ask('/write?precision=ms', lines.join('\n'))
    },
    settle: async () => {
      await ask('/internal/force_flush')
      await ask('/internal/force_merge')
      do await whenStill(directory, QUIET_MS)
      while (/^vm_active_force_merges [1-9]/m.test(await ask('/metrics')))
    },
    count: async (from, to) => {
      const query = `sum(count_over_time(s[${seconds(to - from)}s]))`
      const text = await ask(instantUrl(query, to - 1).slice(url.length))
      return Number(JSON.parse(text).data.result[0]?.value[1] ?? 0)
    },
    rangeUrl: (query, { from, to, step }) =>
      queryUrl('query_range', {
        query,
        start: seconds(from + step - 1),
        // A little later, because it may round the start.
        end: seconds(to + 9),
        step: `${seconds(step)}s`
      }),
    instantUrl,
    bytes: () => bytesOf(join(directory, 'data')) + bytesOf(join(directory, 'indexdb')),
    stop: async () => {
      await end(child)
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
