import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from 'content-disposition'
import { dispositionParameters } from '../../src/http/content-disposition.ts'

test('dispositionParameters', () => {
  const f = (header: string, want: Record<string, string>) =>
    assert.deepEqual(Object.fromEntries(dispositionParameters(header)), want, header)

  f('form-data; name="file"; filename="a.txt"', { name: 'file', filename: 'a.txt' })
  f('form-data; name=""a.txt""; filename=""a b.txt""', { name: 'a.txt', filename: 'a b.txt' })
  f('form-data; name=file; filename=a.txt', { name: 'file', filename: 'a.txt' })
  f('form-data;NAME="x" ;  FileName="y"', { name: 'x', filename: 'y' })
  f('form-data; name="a"; filename=""', { name: 'a', filename: '' })
  f(String.raw`form-data; filename="a\"b\\c"`, { filename: String.raw`a"b\c` })
  f('form-data; filename="a%22b%0D%0Ac%20"', { filename: 'a"b\r\nc%20' })
  f('form-data; filename="a;b=c"', { filename: 'a;b=c' })
  f('form-data; filename="å"', { filename: 'å' })
  f('form-data; filename="x"; filename*=UTF-8\'\'%C3%A5%2F', {
    filename: 'å/',
    'filename*': "UTF-8''%C3%A5%2F"
  })
  f('form-data; filename="x"; filename*=UTF-8\'\'%C3', {
    filename: 'x',
    'filename*': "UTF-8''%C3"
  })
  f('form-data; name="first"; name="second"', { name: 'first' })
  f('form-data; filename="open', { filename: '' })
  f('form-data', {})
  f('', {})
})

test('a name can be read back from the header of its download', () => {
  for (const name of ['a.txt', 'å ä ö.pdf', `"'%;*().x`, '日本.bin', '😀']) {
    assert.equal(dispositionParameters(create(name)).get('filename'), name)
  }
})
