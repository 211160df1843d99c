import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ClickHouseError } from '@clickhouse/client'
import { openClickhouseServer, type ServerConnection } from '../../src/history/clickhouse/server.ts'
import { everywhere, sizesSql, tablesSql } from '../../src/history/clickhouse/tables.ts'
import type { Page } from '../../src/history/history.ts'
import { openHistory } from '../../src/history/open.ts'
import { PageTooLarge } from '../../src/lib/page-limit.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { DAY, HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { CLUSTER, withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/port.ts'
import { temporaryDirectory } from '../support/process.ts'
import { rowsText } from '../support/samples.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

const addressOf = (href: string) => {
  const url = new URL(href)
  return { url, database: url.pathname.slice(1), cluster: '', quorum: 0 }
}

test('an address where nothing listens gives one line without the password', async () => {
  const url = `http://me:secret@127.0.0.1:${await freePort()}/db`
  await assert.rejects(openClickhouseServer(addressOf(url)), (error: Error) => {
    assert.match(
      error.message,
      /^CARACAL_HISTORY_URL: 127\.0\.0\.1:\d+: ClickHouse cannot be reached/
    )
    assert.match(error.message, /ECONNREFUSED/)
    assert.doesNotMatch(error.message, /secret|\n/)
    return error.cause instanceof Unavailable
  })
})

test('a server that hangs up', async (t) => {
  const proxy = new TcpProxy(0)
  await proxy.listen()
  t.after(() => proxy.close())
  const opening = openClickhouseServer(addressOf(`http://127.0.0.1:${proxy.port}/db`))
  await assert.rejects(opening, /cannot be reached \(ECONNRESET\)/)
})

test('a query works if its kept connection ends at the moment of use', async (t) => {
  const used = new WeakSet()
  const ends = createServer(({ socket }, response) => {
    if (used.has(socket)) return void socket.resetAndDestroy()
    used.add(socket)
    response.end()
  })
  ends.listen(0, '127.0.0.1')
  await once(ends, 'listening')
  t.after(() => ends.close())
  const { port } = ends.address() as AddressInfo
  const connection = await openClickhouseServer(addressOf(`http://127.0.0.1:${port}/db`))
  t.after(() => connection.close())
  for (let round = 0; round < 4; round++) {
    assert.equal(await connection.query('SELECT 1', {}), '')
    await connection.insert('samples', Buffer.from('1\n'), 'token')
    await connection.execute('OPTIMIZE TABLE samples')
  }
})

describe('a ClickHouse server', { skip: withoutClickhouse }, () => {
  let url: string
  let connection: ServerConnection
  before(async () => {
    url = await newDatabase()
    connection = await openClickhouseServer(addressOf(url))
  })
  after(() => connection.close())

  test('a wrong password stops the start', async () => {
    const wrong = url.replace(/:[^:@]+@/, ':wrong@')
    await assert.rejects(
      openClickhouseServer(addressOf(wrong)),
      /^Error: CARACAL_HISTORY_URL: [\d.:]+: ClickHouse refuses the user or the password$/
    )
  })

  test('a cluster that the server does not know stops the start', async () => {
    const address = { ...addressOf(url), cluster: 'nowhere' }
    await assert.rejects(
      openClickhouseServer(address),
      /no cluster nowhere \(CARACAL_HISTORY_CLUSTER\)/
    )
  })

  test('ClickHouse can parse the statements of a cluster', async () => {
    const place = { database: addressOf(url).database, cluster: 'east-1' }
    const statements = [
      ...tablesSql(place),
      sizesSql(place),
      `DELETE FROM ${everywhere(place, 'samples')} WHERE installation_id = {id:UInt64}`,
      `ALTER TABLE ${everywhere(place, 'samples')} DROP PARTITION {partition:String}`
    ]
    for (const statement of statements) {
      await connection.query(`EXPLAIN AST ${statement}`, { id: 1, partition: '202401' })
    }
  })

  test('an error in a query does not count as a server that is away', async () => {
    await assert.rejects(connection.query('SELECT nothing FROM nowhere', {}), ClickHouseError)
  })

  test('large results are refused', async () => {
    const sql = 'SELECT repeat(toString(number), 100) AS text FROM numbers({n:UInt64})'
    await assert.rejects(connection.query(sql, { n: 1000 }, undefined, 10_000), PageTooLarge)
    assert.equal((await connection.query(sql, { n: 2 }, undefined, 10_000)).split('\n').length, 3)
  })

  test('lists of any length and content arrive at the server', async () => {
    const list = [...["'", '\\', '\\n\n\t', '{n:UInt64}'], ...Array(5000).fill('7/obj/å')]
    const sql = `SELECT arrayStringConcat({list:Array(String)}, '|') AS text,
      arraySum({numbers:Array(Int64)}) AS sum`
    for (const part of [list, list.slice(0, 5)]) {
      const numbers = part.map((_, i) => i - 1)
      const answer = JSON.parse(await connection.query(sql, { list: part, numbers }))
      assert.equal(answer.text, part.join('|'))
      assert.equal(
        answer.sum,
        numbers.reduce((sum, n) => sum + n, 0)
      )
    }
  })

  test('an abort cancels the query on the server', async () => {
    const controller = new AbortController()
    const reason = new Error('caller hung up')
    const sql = `SELECT count() AS n FROM numbers(1e13) WHERE sipHash64(number) % 7 = {x:UInt64}`
    const running = connection.query(sql, { x: 1 }, controller.signal)
    const count = `SELECT count() AS n FROM system.processes
      WHERE query LIKE '%sipHash64%' AND query NOT LIKE '%processes%' AND NOT is_cancelled`
    const processes = async () => JSON.parse(await connection.query(count, {})).n
    running.catch(() => {})
    await eventually(async () => assert.equal(await processes(), 1), 60_000)
    controller.abort(reason)
    await assert.rejects(running, reason)
    await eventually(async () => assert.equal(await processes(), 0), 60_000)
  })

  test('a cluster works through its Distributed tables', async (t) => {
    const at = { url: await newDatabase(), dataDir: temporaryDirectory(), cluster: CLUSTER }
    const history = await openHistory(at)
    t.after(() => history.close())
    const start = Date.UTC(2024, 0, 31, 23)
    const rows = [0, 1, 2, 3].map((hour) =>
      encodeSample({
        ...{ id: hour + 1, installation_id: 5, client_id: 7, topic: '7/obj/a', msg: '' },
        ...{ value: hour, timestamp: unixMs(start + hour * HOUR) }
      })
    )
    for (let i = 0; i < 2; i++) await history.append(Buffer.from(rows.join('')), 'one batch')
    const window = { from: unixMs(start), to: unixMs(start + DAY) }
    const page = { installation_id: 5, topics: undefined, ...window, limit: 10, offset: 0 }
    const values = (page: Page) =>
      JSON.parse(`[${rowsText(page)}]`).map(({ value }: { value: number }) => value)
    assert.deepEqual(values(await history.readPage({ ...page, order: 'desc' })), [3, 2, 1, 0])
    const method = { name: 'integral', x: 3600 } as const
    const daily = { ...page, order: 'asc', method, buckets: { ms: DAY } } as const
    assert.deepEqual(values(await history.aggregate(daily)), [0.5, 4])
    const lines: Buffer[] = []
    for await (const part of history.scan(page, 'csv')) lines.push(part)
    assert.equal(Buffer.concat(lines).toString().trim().split('\n').length, 4)
    const latest = async () => {
      const found: number[] = []
      for await (const samples of history.latest()) found.push(...samples.map(({ value }) => value))
      return found
    }
    assert.deepEqual(await latest(), [3])

    const { bytes, months } = await history.sizes()
    assert.deepEqual(
      months.map(({ name }) => name),
      ['2024-01', '2024-02']
    )
    assert(bytes > 0)
    await history.dropBefore(unixMs(Date.UTC(2024, 1)))
    assert.deepEqual(values(await history.readPage({ ...page, order: 'asc' })), [1, 2, 3])
    const stretch = { from: unixMs(start + 3 * HOUR), to: unixMs(start + DAY) }
    const removal = { installation_id: 5, topics: ['7/obj/a', '7/obj/b'], ...stretch }
    assert.equal(await history.remove(removal), 1)
    assert.deepEqual(values(await history.readPage({ ...page, order: 'asc' })), [1, 2])
    assert.deepEqual(await latest(), [2])
    await history.erase(5)
    assert.equal((await history.readPage({ ...page, order: 'asc' })).total, 0)
    assert.deepEqual(await latest(), [])
    await assert.rejects(
      openHistory({ ...at, cluster: '' }),
      /CARACAL_HISTORY_CLUSTER must name it/
    )
  })

  test('TLS works with a trusted certificate and fails with another', async (t) => {
    const directory = temporaryDirectory()
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const subject = ['-subj', '/CN=clickhouse', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync('openssl', [...kind, ...subject, '-keyout', key, '-out', cert], {
      stdio: 'ignore'
    })
    const files = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
    const proxy = new TcpProxy(Number(new URL(url).port), files)
    await proxy.listen()
    t.after(() => proxy.close())
    const secure = new URL(url)
    secure.port = String(proxy.port)
    const href = secure.href.replace('http:', 'https:')
    await assert.rejects(openClickhouseServer(addressOf(href)), /DEPTH_ZERO_SELF_SIGNED_CERT/)

    const script = `
      const { openClickhouseServer } = await import('./src/history/clickhouse/server.ts')
      const url = new URL(process.env.URL_UNDER_TEST)
      const address = { url, database: url.pathname.slice(1), cluster: '', quorum: 0 }
      const connection = await openClickhouseServer(address)
      console.log(await connection.query('SELECT 42 AS n', {}))
      await connection.close()`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script],
      { env: { ...process.env, URL_UNDER_TEST: href, NODE_EXTRA_CA_CERTS: cert } }
    )
    assert.equal(stdout.trim(), '{"n":42}')
  })
})
