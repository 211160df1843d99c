import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresPlace } from '../../src/lib/postgres-url.ts'

test('postgresPlace', () => {
  const f = (url: string, server: string, database: string) =>
    assert.deepEqual(postgresPlace(url), { server, database }, url)

  f('postgres://u:p@db.example:6543/caracal', 'db.example:6543', 'caracal')
  f('postgresql://u:p@db/caracal?sslmode=require&password=q', 'db:5432', 'caracal')
  f('postgres://u:p@[::1]/caracal', '[::1]:5432', 'caracal')
  f('postgres:///caracal', 'localhost:5432', 'caracal')
  f('postgres://u@db', 'db:5432', '')
  f('postgres:///caracal?host=/run/postgresql&port=5433', '/run/postgresql:5433', 'caracal')
})
