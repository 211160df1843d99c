import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits, quotaNames, sampleBytes, TokenBucket } from '../../src/lib/quota.ts'

test('a bucket allows the messages of a minute at once, then the allowed number per second', () => {
  const bucket = new TokenBucket()
  const passing = (tries: number, now: number) => {
    let passed = 0
    for (let i = 0; i < tries; i++) {
      if (!bucket.has(2, now)) continue
      bucket.take()
      passed++
    }
    return passed
  }
  assert.equal(passing(1000, 1000), 120)
  assert.equal(passing(1000, 1400), 0)
  assert.equal(passing(1000, 1500), 1)
  assert.equal(passing(1000, 3500), 4)
  // A clock that is set back changes nothing.
  assert.equal(passing(1000, 500), 0)
  assert.equal(passing(1000, 1500), 2)
  assert.equal(passing(1000, 1_000_000), 120)
})

test('a bucket follows a changed quota', () => {
  const bucket = new TokenBucket()
  assert(bucket.has(1000, 1000))
  assert(!bucket.has(0, 1000))
  assert(!bucket.has(10, 1000))
  assert(bucket.has(10, 1100))
})

test('a bucket lets many pass together, and what goes beyond a full one is owed', () => {
  const bucket = new TokenBucket()
  const pass = (count: number, now: number) => {
    const passes = bucket.has(10, now, count)
    if (passes) bucket.take(count)
    return passes
  }
  assert(pass(500, 1000))
  assert(!pass(101, 1000))
  assert(pass(100, 1000))
  assert(!pass(1, 1000))
  assert(!pass(200, 2000))
  assert.equal(bucket.secondsUntil(200, 10), 19)
  assert(!pass(200, 20_900))
  assert(pass(200, 21_000))
  // A full bucket has 600, so the other 400 are paid later.
  assert(!pass(1000, 80_900))
  assert(pass(1000, 81_000))
  assert(!pass(1, 121_000))
  assert(pass(1, 121_100))
  assert(!new TokenBucket().has(0, 1000))
})

test('defaults come from the text first, then from the settings of single limits', () => {
  const { installation, organization } = defaultLimits(
    { installation: 'topics=7, files=0', organization: 'filters=9' },
    { topics: 5, connections: 6 }
  )
  assert.deepEqual(
    [installation.topics, installation.files, installation.connections, organization.filters],
    [7, 0, 6, 9]
  )
  for (const name of quotaNames) {
    assert(Number.isInteger(installation[name]) && Number.isInteger(organization[name]), name)
    if (installation[name] > 9) assert(organization[name] >= 9, name)
  }
})

test('a sample counts the bytes of its texts in UTF-8, plus its time and value', () => {
  assert.equal(sampleBytes('1001/obj/x', ''), 26)
  assert.equal(sampleBytes('1001/obj/é', 'ü€'), 27 + 5)
})
