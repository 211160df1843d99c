import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceId, tracePath } from '../../src/lib/trace.ts'

test('tracePath', () => {
  const f = (url: string, params: Record<string, unknown>, want: string) =>
    assert.equal(tracePath(url, params), want)

  f('/api/v2/user/:user_id', { user_id: 7 }, '/api/v2/user/7')
  f('/api/v2/user/:user_id', { user_id: 'me' }, '/api/v2/user/me')
  f('/api/v2/user/:user_id', { user_id: 'my secret' }, '/api/v2/user/{user_id}')
  f('/api/v2/user/:user_id', { user_id: '1'.repeat(17) }, '/api/v2/user/{user_id}')
  f('/a/:x_id/:y_id/meta/*', { x_id: '1', y_id: 2, '*': 'key' }, '/a/1/2/meta/{meta_key}')
  f('/a/:x_id/', {}, '/a/{x_id}')
  f('/a/:x_id', { x_id: '$1' }, '/a/{x_id}')
  f('/', {}, '/')
})

test('traceId', () => {
  const f = (value: unknown, want: number | undefined) => assert.equal(traceId(value), want)

  f(7, 7)
  f('7', 7)
  f('9007199254740991', Number.MAX_SAFE_INTEGER)
  for (const odd of ['9007199254740992', '0', '-1', '1.5', '', 'me', 'x', undefined, null, {}]) {
    f(odd, undefined)
  }
})
