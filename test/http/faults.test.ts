import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { faultText } from '../../src/http/faults.ts'
import { Id, Maybe, Meta } from '../../src/http/schema.ts'

const textOf = (schema: TSchema, value: unknown) => faultText([{ name: 'body', schema, value }])

test('a message says what is wrong with one field', () => {
  const f = (schema: TSchema, value: unknown, want: string) =>
    assert.equal(textOf(Type.Object({ x: schema }), { x: value }), want)

  f(Type.String(), 5, 'x must be text')
  f(Type.String({ minLength: 1, maxLength: 3 }), '', 'x must be text of 1 to 3 characters')
  f(Type.String({ maxLength: 3 }), 'four', 'x must be text of at most 3 characters')
  f(Type.String({ pattern: '^a+$', description: 'letters a' }), 'b', 'x must be letters a')
  f(
    Type.String({ pattern: '^a+$', maxLength: 3, description: 'letters a' }),
    'aaaa',
    'x must be letters a, of at most 3 characters'
  )
  f(Id, '1', 'x must be a whole number')
  f(Id, 1.5, 'x must be a whole number')
  f(Id, 0, 'x must be a whole number of at least 1')
  f(Type.Number({ minimum: 0, maximum: 9 }), 10, 'x must be a number from 0 to 9')
  f(Type.Number(), null, 'x must be a number')
  f(Type.Boolean(), 'yes', 'x must be true or false')
  f(Type.Array(Type.String()), {}, 'x must be a list')
  f(Type.Array(Type.String(), { minItems: 1 }), [], 'x must be a list of at least 1 entry')
  f(Type.Array(Type.String()), ['a', 1], 'x.1 must be text')
  f(Type.Object({ y: Type.String() }), [], 'x must be an object')
  f(Type.Object({ y: Type.String() }), {}, 'x.y is required')
  f(Type.Object({}, { additionalProperties: false }), { y: 1 }, 'x.y is not known here')
  f(Type.Union([Type.Literal('asc'), Type.Literal('desc')]), 'up', 'x must be asc or desc')
  f(Type.Union([Type.Literal('me'), Id]), 'you', 'x must be me or a whole number of at least 1')
  f(Type.Union([Type.Literal(''), Type.Literal('a')]), 'b', 'x must be empty or a')
  f(Maybe(Type.String()), 5, 'x must be text')
  f(Maybe(Type.Array(Id)), [1, 'a'], 'x.1 must be a whole number')
  f(Meta, { a: 1 }, 'x.a must be text')
  f(Meta, { '': 'a' }, 'x must be texts by key, with keys of 1 to 255 characters')
  f(Type.Object({}, { maxProperties: 1 }), { a: 1, b: 2 }, 'x must be an object of at most 1 entry')
})

test('a message names all wrong fields in the order of the description', () => {
  const schema = Type.Object({
    email: Type.String(),
    role: Type.Integer(),
    address: Type.Object({ city: Type.String(), zip: Type.String() }),
    note: Type.Optional(Type.String())
  })
  assert.equal(
    textOf(schema, { note: 1, address: { zip: 2 }, role: 'a' }),
    'email is required; role must be a whole number; address.city is required; address.zip must be text; note must be text'
  )
  assert.equal(textOf(schema, []), 'body must be an object')
  assert.equal(textOf(schema, undefined), 'body must be an object')
})

test('a message names wrong fields of every part of the request', () => {
  const schema = Type.Object({ x: Type.String() })
  assert.equal(
    faultText([
      { name: 'path', schema: Type.Object({ id: Id }), value: { id: 'a' } },
      { name: 'query', schema: undefined, value: {} },
      { name: 'body', schema, value: 1 }
    ]),
    'id must be a whole number; body must be an object'
  )
})

test('ten wrong fields are named, the others are counted', () => {
  const schema = Type.Array(Type.String())
  const named = Array.from({ length: 10 }, (_, i) => `body.${i} must be text`).join('; ')
  const f = (length: number, more: string) =>
    assert.equal(textOf(schema, Array(length).fill(1)), named + more)
  f(10, '')
  f(11, '; and 1 more')
  f(109, '; and 99 more')
  f(110, '; and at least 100 more')
  f(100_000, '; and at least 100 more')
})

test('a long name is shortened', () => {
  const text = textOf(Meta, { ['x'.repeat(255)]: 1 })
  assert.equal(text, `${'x'.repeat(60)}... must be text`)
})

test('a hostile body does not delay other requests', () => {
  const schema = Type.Object({
    ids: Type.Array(Id, { maxItems: 10_000 }),
    list: Type.Array(Type.Object({ a: Type.String(), b: Maybe(Id) })),
    meta: Maybe(Meta)
  })
  const keys = (value: unknown) =>
    Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key${i}`, value]))
  const bodies: [string, unknown][] = [
    ['wrong items', { ids: Array(100_000).fill('a') }],
    [
      'one wrong item behind many good ones',
      { list: [...Array(30_000).fill({ a: '' }), { a: 1 }] }
    ],
    ['wrong values', { meta: keys(1) }],
    ['a wrong value behind many good ones', { meta: { ...keys(''), last: 1 } }],
    ['keys that are too long', { meta: { ['x'.repeat(1_000_000)]: 1 } }],
    ['long text', { list: [{ a: 'x'.repeat(1_000_000), b: 'x'.repeat(1_000_000) }] }]
  ]
  for (const [what, body] of bodies) {
    const json = JSON.stringify(body)
    const parsing = bestTime(() => JSON.parse(json))
    const looking = bestTime(() => assert(textOf(schema, body).length < 2000, what))
    assert(looking < Math.max(20, parsing), `${what}: ${looking} ms, parsing ${parsing} ms`)
  }
})

/** The best of ten runs, in milliseconds of this thread's processor time, so other programs do not matter. */
const bestTime = (work: () => void): number =>
  Math.min(
    ...Array.from({ length: 10 }, () => {
      const before = process.threadCpuUsage()
      work()
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000
    })
  )

test('entries after the first ten thousand are not checked', () => {
  const schema = Type.Object({ ids: Type.Array(Id), name: Type.String() })
  const ids = [...Array(10_000).fill(1), 'a']
  assert.equal(
    textOf(schema, { ids, name: 'x' }),
    'something is wrong after the first 10000 entries'
  )
  assert.equal(textOf(schema, { ids, name: 1 }), 'name must be text')
})
