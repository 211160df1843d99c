import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimit } from '../../src/lib/rate-limit.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

test('each key has its own limit per minute', () => {
  let now = 1_000_000
  const limit = new RateLimit<number>(() => unixMs(now), { most: 3, windowMs: 60_000 })
  const f = (at: number, key: number, want: number) => {
    now = 1_000_000 + at
    assert.equal(limit.take(key), want, `${key} at ${at}`)
  }
  f(0, 1, 0)
  f(10_000, 1, 0)
  f(20_000, 1, 0)
  f(20_000, 1, 40)
  f(20_500, 1, 40)
  f(20_000, 2, 0)
  f(59_999, 1, 1)
  f(60_000, 1, 0)
  f(60_000, 1, 10)
  f(70_000, 1, 0)
  f(1_000_000, 1, 0)
  f(1_000_000, 2, 0)
})
