import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutLong } from '../../src/history/clickhouse/server.ts'
import {
  databaseSql,
  everywhere,
  sizesSql,
  tablesSql
} from '../../src/history/clickhouse/tables.ts'

const alone = { database: 'caracal', cluster: '' }
const many = { database: 'caracal', cluster: 'east-1' }
const flat = (sql: string) => sql.replace(/\s+/g, ' ').trim()

test('the tables of one server', () => {
  assert.equal(databaseSql(alone), 'CREATE DATABASE IF NOT EXISTS caracal')
  const [samples = '', latest = '', lineage = '', ...more] = tablesSql(alone).map(flat)
  assert.deepEqual(more, [])
  assert.match(samples, /^CREATE TABLE IF NOT EXISTS caracal\.samples \( id UInt64/)
  assert.match(samples, /ENGINE = ReplacingMergeTree\(\) PARTITION BY toYYYYMM/)
  assert.match(samples, /fsync_after_insert = 1, .*, non_replicated_deduplication_window = 1000$/)
  assert.match(
    latest,
    /ENGINE = ReplacingMergeTree\(timestamp\) ORDER BY \(installation_id, topic\)/
  )
  assert.match(lineage, /ENGINE = AggregatingMergeTree\(\) ORDER BY \(platform, kind\)/)
})

test('the tables of a cluster: replicated ones keep the rows, distributed ones answer queries', () => {
  assert.equal(databaseSql(many), 'CREATE DATABASE IF NOT EXISTS caracal ON CLUSTER `east-1`')
  const [samples = '', latest = '', lineage = '', ...asked] = tablesSql(many).map(flat)
  assert.match(samples, /^CREATE TABLE IF NOT EXISTS caracal\.samples_local ON CLUSTER `east-1` \(/)
  assert.ok(
    samples.includes(
      "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/samples', '{replica}')"
    )
  )
  assert.match(samples, /fsync_after_insert = 1,/)
  assert.match(samples, /replicated_deduplication_window = 1000, .*_seconds = 604800$/)
  assert.doesNotMatch(samples, /non_replicated/)
  assert.match(latest, /caracal\.latest_local .*\/latest', '\{replica\}', timestamp\) ORDER BY/)
  assert.match(lineage, /ReplicatedAggregatingMergeTree\('.*\/lineage', '\{replica\}'\) ORDER BY/)
  const keys = {
    samples: 'installation_id',
    latest: 'installation_id',
    lineage: 'cityHash64(kind)'
  }
  assert.deepEqual(
    asked,
    Object.entries(keys).map(
      ([table, key]) =>
        `CREATE TABLE IF NOT EXISTS caracal.${table} ON CLUSTER \`east-1\` AS caracal.${table}_local ENGINE = Distributed('east-1', 'caracal', '${table}_local', ${key})`
    )
  )
})

test('rows are changed in the local tables', () => {
  assert.equal(everywhere(alone, 'samples'), 'caracal.samples')
  assert.equal(everywhere(many, 'latest'), 'caracal.latest_local ON CLUSTER `east-1`')
  assert.match(flat(sizesSql(alone)), /FROM system\.parts WHERE database = 'caracal'/)
  assert.match(flat(sizesSql(many)), /FROM clusterAllReplicas\('east-1', system\.parts\)/)
  assert.match(flat(sizesSql(many)), /table IN \('samples_local', 'latest_local'\)/)
})

test('long lists and texts become literals, and their text is escaped', () => {
  const sql = 'SELECT {id:UInt64}, topic IN {topics:Array(String)}'
  const short = { id: 1, topics: ['a'] }
  assert.deepEqual(withoutLong(sql, short), { query: sql, query_params: short })

  const topics = ["' OR 1 --", '\\', "\\'", '$&', '{id:UInt64}', '\0', 'x'.repeat(3000)]
  assert.deepEqual(withoutLong(sql, { id: 1, topics }), {
    query: `SELECT {id:UInt64}, topic IN CAST(['\\' OR 1 --','\\\\','\\\\\\'','$&','{id:UInt64}','\\0','${'x'.repeat(3000)}'], 'Array(String)')`,
    query_params: { id: 1 }
  })

  const msg = `it's ${'x'.repeat(3000)}`
  assert.deepEqual(withoutLong('SELECT {msg:String}, {bits:UInt64}', { msg, bits: '7' }), {
    query: `SELECT CAST('it\\'s ${'x'.repeat(3000)}', 'String'), {bits:UInt64}`,
    query_params: { bits: '7' }
  })

  const borders = Array.from({ length: 1000 }, (_, i) => i)
  const { query } = withoutLong('roundDown(t, {borders:Array(Int64)})', { borders })
  assert.equal(query, `roundDown(t, CAST([${borders.join()}], 'Array(Int64)'))`)

  const hostile = Array.from({ length: 200 }, () => '{borders:Array(Int64)}')
  const both = 'SELECT {topics:Array(String)}, {borders:Array(Int64)}'
  assert.equal(
    withoutLong(both, { topics: hostile, borders }).query,
    `SELECT CAST([${hostile.map((topic) => `'${topic}'`).join()}], 'Array(String)'), CAST([${borders.join()}], 'Array(Int64)')`
  )
})
