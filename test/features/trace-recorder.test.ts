import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RefusedCaller, TraceRecorder } from '../../src/features/trace/recorder.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import type { Registry } from '../../src/registry/tables.ts'

function recorderAt() {
  let now = unixMs(0)
  // Nothing is written here.
  const registry = undefined as unknown as Registry
  const recorder = new TraceRecorder({ registry, clock: () => now, hasRoom: () => true })
  return {
    allowed: (tries: RefusedCaller[]) => tries.filter((refused) => recorder.allows(refused)).length,
    pass: (ms: number) => {
      now = unixMs(now + ms)
    }
  }
}
const many = <T>(count: number, one: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => one(i))

test('one caller or address has ten entries in ten minutes', () => {
  const { allowed, pass } = recorderAt()
  assert.equal(allowed(many(20, () => ({ owner: 'user:1' }))), 10)
  assert.equal(allowed(many(20, () => ({ address: '192.0.2.1' }))), 10)
  assert.equal(allowed(many(20, (i) => ({ address: `2001:db8::${i}` }))), 10)
  pass(10 * MINUTE)
  assert.equal(allowed([{ owner: 'user:1' }]), 1)
})

test('the limits of strangers and of signed-in callers are separate', () => {
  const { allowed } = recorderAt()
  assert.equal(allowed(many(1000, (i) => ({ address: `10.0.${i >> 8}.${i & 255}` }))), 200)
  assert.equal(allowed(many(1000, (i) => ({ owner: `user:${i}` }))), 500)
})
