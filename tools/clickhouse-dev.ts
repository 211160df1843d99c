import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { clickhouseFront } from './clickhouse-front.ts'

/**
 * `npm run clickhouse-dev -- --port 8123 --dir D` replaces a ClickHouse server where there is none.
 * The engine is the chDB in CHDB_PREFIX.
 */
const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8123' },
    dir: { type: 'string', default: './clickhouse-data' },
    user: { type: 'string', default: 'default' },
    password: { type: 'string', default: '' },
    threads: { type: 'string', default: '0' },
    cluster: { type: 'string', default: '' },
    cert: { type: 'string' },
    key: { type: 'string' }
  }
})

const prefix = process.env['CHDB_PREFIX']
if (!prefix) {
  console.error(
    'CHDB_PREFIX must name the directory that "npm install --ignore-scripts --prefix <directory> chdb@3.4.0" filled'
  )
  process.exit(1)
}
const { host, port, dir: directory, user, password, cluster, cert, key } = values
mkdirSync(directory, { recursive: true })
const tls =
  cert && key ? { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') } : undefined
const server = clickhouseFront({
  ...{ prefix, directory, user, password, cluster },
  threads: Number(values.threads),
  ...(tls && { tls })
})
server.listen(Number(port), host)
await once(server, 'listening')
const at = `${host}:${(server.address() as AddressInfo).port}`
console.log(`ClickHouse for development at http${tls ? 's' : ''}://${at}, data in ${directory}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
