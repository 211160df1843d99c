import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Newcomers } from '../../src/lib/newcomers.ts'

test('newcomers are limited in total and per address, IPv6 by its /64', () => {
  const newcomers = new Newcomers({ inAll: 4, perAddress: 2 })
  const leave = newcomers.enter('2001:db8:1:2::1')
  assert(leave)
  assert(newcomers.enter('2001:db8:1:2::2'))
  assert.equal(newcomers.enter('2001:db8:1:2:ffff::3'), undefined)
  assert(newcomers.enter('192.0.2.1'))
  assert(newcomers.enter('192.0.2.2'))
  assert.equal(newcomers.enter('192.0.2.3'), undefined)
  leave()
  leave()
  assert(newcomers.enter('192.0.2.3'))
  assert.equal(newcomers.enter('192.0.2.4'), undefined)
})
