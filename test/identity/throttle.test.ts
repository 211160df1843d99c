import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGN_IN, Throttle } from '../../src/identity/throttle.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'

function throttleAt() {
  let now = unixMs(0)
  const throttle = new Throttle(() => now, undefined, SIGN_IN)
  return {
    throttle,
    pass: (ms: number) => {
      now = unixMs(now + ms)
    }
  }
}
const fail = async (throttle: Throttle, times: number, account = 'a@x', address = '1.1.1.1') => {
  for (let i = 0; i < times; i++) await throttle.take(account, address)
}

test('ten failures of an account from one address lock it for that address only', async () => {
  const { throttle, pass } = throttleAt()
  await fail(throttle, 9)
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 0)
  await fail(throttle, 1, 'A@X')
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 300)
  assert.equal(throttle.wait('a@x', '2.2.2.2'), 0, 'the owner elsewhere gets in')
  assert.equal(throttle.wait('b@x', '1.1.1.1'), 0)
  pass(4 * MINUTE)
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 60)
  pass(MINUTE)
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 0, 'nobody is locked out for good')
})

test('a hundred failures from one address lock the address for every account', async () => {
  const { throttle } = throttleAt()
  for (let i = 0; i < 100; i++) await fail(throttle, 1, `user${i}@x`)
  assert.equal(throttle.wait('someone@else', '1.1.1.1'), 300)
  assert.equal(throttle.wait('someone@else', '2.2.2.2'), 0)
})

test('success clears the account', async () => {
  const { throttle } = throttleAt()
  await fail(throttle, 9)
  await throttle.succeeded('a@x', '1.1.1.1')
  await fail(throttle, 9)
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 0)
})

test('successes never lock an address', async () => {
  const { throttle } = throttleAt()
  for (let i = 0; i < 500; i++) {
    await fail(throttle, 1)
    await throttle.succeeded('a@x', '1.1.1.1')
  }
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 0)
})

test('if the address is not known only the account is locked', async () => {
  const { throttle } = throttleAt()
  for (let i = 0; i < 200; i++) await fail(throttle, 1, `user${i}@x`, '')
  assert.equal(throttle.wait('someone@else', ''), 0)
  await fail(throttle, 10, 'a@x', '')
  assert.equal(throttle.wait('a@x', ''), 300)
})

test('a whole IPv6 network counts as one address', async () => {
  const { throttle } = throttleAt()
  for (let i = 0; i < 10; i++) await throttle.take('a@x', `2001:db8::${i}`)
  assert.equal(throttle.wait('a@x', '2001:db8::ffff'), 300)
  assert.equal(throttle.wait('a@x', '2001:db8:0:1::1'), 0)
  await throttle.succeeded('a@x', '2001:db8::abcd')
  assert.equal(throttle.wait('a@x', '2001:db8::1'), 0)
})

test('a sign-in without a counted try forgets the failures of the account, not of the address', async () => {
  const { throttle } = throttleAt()
  await fail(throttle, 10)
  for (let i = 0; i < 90; i++) await fail(throttle, 1, `other${i}`)
  throttle.forget('a@x', '1.1.1.1')
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 300, 'the address has failed 100 times')
  assert.equal(throttle.wait('a@x', '2.2.2.2'), 0)
  await throttle.succeeded('other1', '1.1.1.1')
  assert.equal(throttle.wait('a@x', '1.1.1.1'), 0, 'and now 99 times')
})
