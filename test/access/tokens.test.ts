import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_LENGTH, MIN_LENGTH, newToken } from '../../src/access/tokens.ts'

test('a key begins with a letter or digit, has its length, and every character elsewhere', () => {
  const keys = Array.from({ length: 3000 }, () => newToken())
  const others = new Set<string>()
  const firsts = new Set<string>()
  for (const key of keys) {
    assert.match(key, /^[A-Za-z0-9][A-Za-z0-9_-]{42}$/)
    firsts.add(key.charAt(0))
    for (const character of key.slice(1)) others.add(character)
  }
  assert.equal(new Set(keys).size, keys.length)
  assert.equal(firsts.size, 62)
  assert.equal(others.size, 64)
  for (const length of [MIN_LENGTH, MAX_LENGTH]) assert.equal(newToken(length).length, length)
})
