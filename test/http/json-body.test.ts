import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseBody } from '../../src/http/json-body.ts'
import { rounds } from '../support/rounds.ts'

const cases: readonly [what: string, body: string, parsed: unknown][] = [
  ['a high half alone', String.raw`{"name":"a\ud83d"}`, { name: 'a\ufffd' }],
  ['a low half alone', String.raw`["\udc00","\udc01"]`, ['\ufffd', '\ufffd']],
  ['a pair', String.raw`"\ud83d\ude00"`, '\u{1f600}'],
  ['a pair in the wrong order', String.raw`"\ude00\ud83d"`, '\ufffd\ufffd'],
  ['a backslash before a u', String.raw`"\\ud83d"`, String.raw`\ud83d`],
  ['a key', String.raw`{"meta":{"\ud800":"1","b":"2"}}`, { meta: { b: '2', '\ufffd': '1' } }],
  ['two keys that become one', String.raw`{"\ud800":1,"\ud801":2}`, { '\ufffd': 2 }]
]

for (const [what, body, parsed] of cases) {
  test(`half a character in a body: ${what}`, () => {
    assert.deepEqual(parseBody(body), parsed)
  })
}

test('a body that is nested deeply, with half a character in the middle', () => {
  const depth = 40_000
  const body = parseBody(String.raw`${'['.repeat(depth)}"\ud800"${']'.repeat(depth)}`)
  let inside = body
  while (Array.isArray(inside)) inside = inside[0]
  assert.equal(inside, '\ufffd')
})

test('a key named __proto__ stays an ordinary key', () => {
  const body = parseBody(String.raw`{"__proto__":"\ud800"}`) as object
  assert.equal(Object.getPrototypeOf(body), Object.prototype)
  assert.deepEqual(Object.entries(body), [['__proto__', '\ufffd']])
})

test('property: every body without half a character is parsed as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'grapheme' }), (text) => {
      const escaped = text.replace(
        /[\ud800-\udfff]/g,
        (half) => `\\u${half.charCodeAt(0).toString(16)}`
      )
      assert.deepEqual(parseBody(escaped), JSON.parse(text))
    }),
    { numRuns: rounds(2000, 200) }
  )
})
