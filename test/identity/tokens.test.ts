import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_KEY_LENGTH, MIN_KEY_LENGTH, newToken } from '../../src/identity/tokens.ts'

test('a key begins with a letter or digit, has the right length, and uses all other characters', () => {
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
  for (const length of [MIN_KEY_LENGTH, MAX_KEY_LENGTH])
    assert.equal(newToken(length).length, length)
})
