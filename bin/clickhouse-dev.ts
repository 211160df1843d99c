import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isChdbInstalled } from '../src/history/chdb.ts'
import { missingForEmulation, withChdb } from '../test/support/emulation.ts'
import { clickhouseFront } from './clickhouse-front.ts'

/**
 * `npm run clickhouse-dev -- --port 8123 --dir D`: stands in for a ClickHouse server where none can
 * be had. Without chDB's library for this machine it runs emulated, and slowly.
 */
const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8123' },
    dir: { type: 'string', default: './clickhouse-data' },
    user: { type: 'string', default: 'default' },
    password: { type: 'string', default: '' },
    threads: { type: 'string', default: '0' },
    cert: { type: 'string' },
    key: { type: 'string' }
  }
})

if (await isChdbInstalled()) await serve()
else await emulate()

async function serve(): Promise<void> {
  const { host, port, dir: directory, user, password, cert, key } = values
  const threads = Number(values.threads)
  mkdirSync(directory, { recursive: true })
  const tls =
    cert && key ? { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') } : undefined
  const server = await clickhouseFront({ directory, user, password, threads, ...(tls && { tls }) })
  server.listen(Number(port), host)
  await once(server, 'listening')
  const at = `${host}:${(server.address() as AddressInfo).port}`
  console.log(`ClickHouse for development at http${tls ? 's' : ''}://${at}, data in ${directory}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
}

async function emulate(): Promise<void> {
  const missing = missingForEmulation()
  if (missing) {
    console.error(missing)
    process.exit(1)
  }
  const { command, args, env } = await withChdb(fileURLToPath(import.meta.url))
  const child = spawn(command, [...args, ...process.argv.slice(2)], { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  process.exit(code ?? 1)
}
