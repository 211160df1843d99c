import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, isPassword, NO_PASSWORD } from '../../src/identity/password.ts'

const password = 'correct horse battery'
/** Made when hashes did not name their cost. */
const unnamed = 'scrypt$AAECAwQFBgcICQoLDA0ODw$xy6UCICz8Vv_P6JqOkkUD4DOmhxN0tXSe6sQAUBxupQ'

test('a password fits its hash, whatever the cost of the hash was', async () => {
  for (const hash of [
    unnamed,
    await hashPassword(password, 'test'),
    await hashPassword(password, 'test', 4)
  ]) {
    assert.equal(await isPassword(password, hash, 'test'), true, hash)
    assert.equal(await isPassword('another', hash, 'test'), false, hash)
  }
})

test('a new hash names the cost', async () => {
  assert.match(await hashPassword(password, 'test'), /^scrypt\$15\$[\w-]{22}\$[\w-]{43}$/)
})

test('no password fits the hash of an unknown account', async () => {
  for (const guess of ['', password, 'A'])
    assert.equal(await isPassword(guess, NO_PASSWORD, 'test'), false)
})
