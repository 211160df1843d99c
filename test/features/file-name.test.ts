import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileNameFault, mediaType } from '../../src/features/file/file-name.ts'

test('fileNameFault', () => {
  const f = (name: string, isGood: boolean) =>
    assert.equal(fileNameFault(name) === undefined, isGood, JSON.stringify(name))

  for (const name of ['a', 'a.txt', 'å ä.pdf', '.env', '..a', 'a..b', 'x'.repeat(255), '‍👩‍🚀']) {
    f(name, true)
  }
  for (const name of ['', '.', '..', '...', 'x'.repeat(256), 'a/b', '../a', 'a\\b', 'C:\\a']) {
    f(name, false)
  }
  for (const code of [0, 1, 9, 10, 13, 27, 127, 0x85, 0x202e, 0x2066]) {
    f(`a${String.fromCharCode(code)}b`, false)
  }
})

test('mediaType', () => {
  const f = (given: string, want: string) => assert.equal(mediaType(given), want, given)
  const bytes = 'application/octet-stream'

  f('text/plain', 'text/plain')
  f(' Text/HTML ', 'text/html')
  f('text/plain; charset=utf-8', 'text/plain; charset=utf-8')
  f('text/plain;charset=UTF-8', 'text/plain;charset=utf-8')
  f('application/vnd.api+json', 'application/vnd.api+json')
  for (const odd of ['', 'text', 'text/', '/plain', 'a/b/c', 'text/plain\r\nx: y', 'text/pl ain']) {
    f(odd, bytes)
  }
  for (const odd of ['text/plain; x=y', `a/${'b'.repeat(101)}`, 'text/å', '<script>/x'])
    f(odd, bytes)
})
