import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { framed, unframed } from '../../tools/clickhouse-frame.ts'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'

test('framed and unframed', () => {
  const begin = '-- m1 begin --\n'
  const end = '-- m1 end --\n'
  assert.equal(
    framed('SELECT 1', 'm1'),
    "SELECT '-- m1 begin --' FORMAT TSVRaw;\nSELECT 1\n;\nSELECT '-- m1 end --' FORMAT TSVRaw"
  )
  const f = (bytes: string, rows: string | RegExp) => {
    const answer = () => unframed(Buffer.from(bytes), 'm1').toString()
    if (typeof rows === 'string') assert.equal(answer(), rows)
    else assert.throws(answer, rows)
  }
  f(`${begin}${end}`, '')
  f(`${begin}{"a":1}\n{"a":2}\n${end}`, '{"a":1}\n{"a":2}\n')
  f(`${begin}no line end${end}`, 'no line end')
  f(`${begin}å 😀\0\n${end}`, 'å 😀\0\n')
  // Rows of a failed query before the answer, cut off at any place, or after it.
  f(`{"b":1}\n{"b":2}\n${begin}{"a":1}\n${end}`, '{"a":1}\n')
  f(`-- m0 begin --\n{"b":1}\n{"b"${begin}{"a":1}\n${end}`, '{"a":1}\n')
  f(`${begin}{"a":1}\n${end}{"b":1}\n`, '{"a":1}\n')
  // It is not known to which query these rows belong.
  f('', /another query/)
  f('{"b":1}\n', /another query/)
  f(`-- m0 begin --\n{"b":1}\n-- m0 end --\n`, /another query/)
  f(`${begin}{"a":1}\n`, /another query/)
  f(`{"a":1}\n${end}`, /another query/)
  f(`${end}${begin}{"a":1}\n`, /another query/)
})

describe('the front of chDB', { skip: withoutClickhouse }, () => {
  let client: ReturnType<typeof createClient>
  before(async () => {
    const { origin, username, password } = new URL(await newDatabase())
    client = createClient({
      ...{ url: origin, username, password: decodeURIComponent(password) },
      log: { level: ClickHouseLogLevel.OFF }
    })
  })
  after(() => client?.close())

  const ask = async (query: string, query_params: { n?: number }, clickhouse_settings = {}) => {
    const asked = { query, query_params, clickhouse_settings, format: 'JSONEachRow' } as const
    return (await client.query(asked)).text()
  }

  // Each of the two has its own session.
  for (const [name, params, n] of [
    ['with parameters', { n: 5000 }, '{n:UInt64}'],
    ['without', {}, '5000']
  ] as const) {
    test(`rows of a failed query are in no other answer, ${name}`, async () => {
      // With small blocks most of them are written before the limit is reached.
      const small = { max_block_size: '100', max_result_bytes: '3000000' }
      for (let round = 0; round < 3; round++) {
        const large = `SELECT 'failed' AS tag, repeat(toString(number), 200) FROM numbers(${n})`
        await assert.rejects(ask(large, params, small), { type: 'TOO_MANY_ROWS_OR_BYTES' })
        const next = `SELECT 'round ${round}' AS tag FROM numbers(${n}) LIMIT 2`
        assert.equal(await ask(next, params), `{"tag":"round ${round}"}\n`.repeat(2))
      }
    })
  }
})
