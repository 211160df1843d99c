import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './port.ts'

export type Influx = {
  url: string
  /** With `data` and `wal`. */
  directory: string
  /** Line protocol, in milliseconds. */
  write(lines: readonly string[]): Promise<void>
  /** One list of `[ms, value]` per statement. */
  query(statements: readonly string[]): Promise<[number, number | null][][]>
  /** The address that executes one statement. */
  queryUrl(statement: string): string
  stop(): Promise<void>
}

export const isInfluxInstalled = (): boolean => spawnSync('influxd', ['version']).status === 0

/** Starts an InfluxDB 1 in a temporary directory. `data` has more settings of its section `[data]`. */
export async function startInflux(data = ''): Promise<Influx> {
  const directory = mkdtempSync(join(tmpdir(), 'caracal-influx-'))
  const [http, rpc] = [await freePort(), await freePort()]
  const file = join(directory, 'influxdb.conf')
  writeFileSync(file, configuration(directory, [http, rpc], data))
  const server = spawn('influxd', ['-config', file], { stdio: 'ignore' })
  const remove = () => {
    server.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
  process.once('exit', remove)
  const url = `http://127.0.0.1:${http}`
  await eventually(async () => assert.equal((await fetch(`${url}/ping`)).status, 204))
  const ask = async (path: string, body: string | URLSearchParams) => {
    const response = await fetch(url + path, { method: 'POST', body })
    const text = await response.text()
    assert(response.ok, text)
    return text
  }
  await ask('/query', new URLSearchParams({ q: 'CREATE DATABASE test' }))
  return {
    ...{ url, directory },
    write: async (lines) => {
      await ask('/write?db=test&precision=ms', lines.join('\n'))
    },
    query: async (statements) => {
      const q = new URLSearchParams({ q: statements.join('; ') })
      const { results } = JSON.parse(await ask('/query?db=test&epoch=ms', q))
      return results.map((result: { error?: string; series?: { values: [] }[] }) => {
        assert.equal(result.error, undefined)
        return result.series?.[0]?.values ?? []
      })
    },
    queryUrl: (statement) => `${url}/query?db=test&epoch=ms&q=${encodeURIComponent(statement)}`,
    stop: async () => {
      server.kill()
      if (server.exitCode === null) await once(server, 'exit')
      process.off('exit', remove)
      remove()
    }
  }
}

const configuration = (directory: string, [http, rpc]: [number, number], data: string): string => `
reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
  dir = "${directory}/meta"
[data]
  dir = "${directory}/data"
  wal-dir = "${directory}/wal"
  ${data}
[http]
  bind-address = "127.0.0.1:${http}"
[monitor]
  store-enabled = false
[subscriber]
  enabled = false
[continuous_queries]
  enabled = false
`
