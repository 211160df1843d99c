import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ClickHouseError } from '@clickhouse/client'
import { openClickhouseServer } from '../../src/history/clickhouse-server.ts'
import { everywhere, sizesSql, tablesSql } from '../../src/history/clickhouse-tables.ts'
import type { HistoryConnection } from '../../src/history/connection.ts'
import { PageTooLarge } from '../../src/lib/page-limit.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { historyEngines } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/process.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

const addressOf = (href: string) => {
  const url = new URL(href)
  return { url, database: url.pathname.slice(1), cluster: '', quorum: 0 }
}

test('nobody at the address: one line, and no password in it', async () => {
  const url = `http://me:secret@127.0.0.1:${await freePort()}/db`
  await assert.rejects(openClickhouseServer(addressOf(url)), (error: Error) => {
    assert.match(error.message, /^HISTORY_URL: 127\.0\.0\.1:\d+: ClickHouse cannot be reached/)
    assert.match(error.message, /ECONNREFUSED/)
    assert.doesNotMatch(error.message, /secret|\n/)
    return error.cause instanceof Unavailable
  })
})

test('somebody at the address who hangs up', async (t) => {
  const proxy = new TcpProxy(0)
  await proxy.listen()
  t.after(() => proxy.close())
  const opening = openClickhouseServer(addressOf(`http://127.0.0.1:${proxy.port}/db`))
  await assert.rejects(opening, /cannot be reached \(ECONNRESET\)/)
})

const engine = (await historyEngines()).find(({ name }) => name === 'clickhouse')
if (engine?.way === 'here') describe('a ClickHouse server', () => server(engine.url))

function server(newUrl: () => Promise<string>) {
  let url: string
  let connection: HistoryConnection
  before(async () => {
    url = await newUrl()
    connection = await openClickhouseServer(addressOf(url))
  })
  after(() => connection.close())

  test('a wrong password stops the start', async () => {
    const wrong = url.replace(/:[^:@]+@/, ':wrong@')
    await assert.rejects(
      openClickhouseServer(addressOf(wrong)),
      /^Error: HISTORY_URL: [\d.:]+: ClickHouse refuses the user or the password$/
    )
  })

  test('a cluster that the server does not know stops the start', async () => {
    const address = { ...addressOf(url), cluster: 'nowhere' }
    await assert.rejects(openClickhouseServer(address), /no cluster nowhere \(HISTORY_CLUSTER\)/)
  })

  test('the statements of a cluster are ClickHouse', async () => {
    const place = { database: addressOf(url).database, cluster: 'east-1' }
    const statements = [
      ...tablesSql(place),
      sizesSql(place),
      `DELETE FROM ${everywhere(place, 'samples')} WHERE installation_id = {id:UInt64}`,
      `ALTER TABLE ${everywhere(place, 'samples')} DROP PARTITION {partition:String}`
    ]
    for (const statement of statements) {
      await connection.query(`EXPLAIN AST ${statement}`, {})
    }
  })

  test('what is wrong with the question is not the server being away', async () => {
    await assert.rejects(connection.query('SELECT nothing FROM nowhere', {}), ClickHouseError)
  })

  test('large results are refused', async () => {
    const sql = 'SELECT repeat(toString(number), 100) AS text FROM numbers({n:UInt64})'
    await assert.rejects(connection.query(sql, { n: 1000 }, undefined, 10_000), PageTooLarge)
    assert.equal((await connection.query(sql, { n: 2 }, undefined, 10_000)).split('\n').length, 3)
  })

  test('lists of any length and content arrive', async () => {
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

  test('an abort ends the query on the server', async () => {
    const controller = new AbortController()
    const reason = new Error('caller hung up')
    // Would take hours.
    const sql =
      'SELECT count() AS n FROM numbers(1e15::UInt64) WHERE sipHash64(number) = {x:UInt64}'
    const running = connection.query(sql, { x: 1 }, controller.signal)
    const count =
      "SELECT count() AS n FROM system.processes WHERE query LIKE '%numbers(1e15%' AND query NOT LIKE '%processes%'"
    const processes = async () => JSON.parse(await connection.query(count, {})).n
    running.catch(() => {})
    await eventually(async () => assert.equal(await processes(), 1), 60_000)
    controller.abort(reason)
    await assert.rejects(running, reason)
    await eventually(async () => assert.equal(await processes(), 0), 60_000)
  })

  test('over TLS, with a certificate that is trusted and one that is not', async (t) => {
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
      const { openClickhouseServer } = await import('./src/history/clickhouse-server.ts')
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
}
