import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { faultText } from '../../src/http/faults.ts'
import { routeTable } from '../../tools/pages.ts'
import { rounds } from '../support/rounds.ts'

type Part = { route: string; schema: TSchema }

/** All schemas of requests. */
async function requestParts(): Promise<Part[]> {
  return (await routeTable()).flatMap(({ method, path, schema: { params, querystring, body } }) =>
    [params, querystring, body].flatMap((schema) =>
      schema ? { route: `${method} ${path}`, schema: schema as TSchema } : []
    )
  )
}

const NOTHING = /^something is wrong after/
const textOf = (schema: TSchema, value: unknown) => faultText([{ name: 'body', schema, value }])

function schemasWithin(schema: object): object[] {
  const inside = Object.values(schema).flatMap((value) =>
    typeof value === 'object' && value !== null ? schemasWithin(value) : []
  )
  return [schema, ...inside]
}

test('a message says in words what a regular expression allows', async () => {
  const samples = ['', ' ', '\n', 'x', 'a/b', '@', 'a'.repeat(64), 'x'.repeat(2000)]
  let seen = 0
  for (const { route, schema } of await requestParts()) {
    for (const one of schemasWithin(schema)) {
      if (!('pattern' in one) || typeof one.pattern !== 'string') continue
      const wrong = samples.find((text) => !Value.Check(one as TSchema, text))
      assert(wrong !== undefined, `${route}: no sample for ${one.pattern}`)
      const text = textOf(one as TSchema, wrong)
      assert.doesNotMatch(text, /[\\^$]|\[\^|\.[*+]/, route)
      assert(!text.includes('of another form'), `${route}: ${one.pattern} has no description`)
      seen++
    }
    for (const one of schemasWithin(schema)) {
      if (!('patternProperties' in one)) continue
      const text = textOf(one as TSchema, { '': 'x' })
      assert.doesNotMatch(text, /[\\^$]|\[\^|with other keys/, route)
    }
  }
  assert(seen > 5)
})

/** Right and wrong values of every kind, and objects with the keys of the schema. */
function valuesFor(schema: object): fc.Arbitrary<unknown> {
  const any = fc.constantFrom<unknown>(
    ...[null, true, 0, 1, -1, 1.5, 1e12, '', 'x', 'me', 'asc', 'a@b', 'x'.repeat(300)],
    ...[[], [1], ['x'], [null], {}, { a: 'x' }, { a: 1 }, { '': 'x' }, { id: 1 }, { id: 'x' }]
  )
  if (!('properties' in schema)) return any
  const names = Object.keys(schema.properties as object)
  const object = fc.record(Object.fromEntries(names.map((name) => [name, any])), {
    requiredKeys: []
  })
  return fc.oneof({ arbitrary: object, weight: 10 }, { arbitrary: any, weight: 1 })
}

test('a message names every field that does not fit its description, and no other', async () => {
  for (const { route, schema } of await requestParts()) {
    fc.assert(
      fc.property(valuesFor(schema), (value) => {
        const text = textOf(schema, value)
        assert.equal(NOTHING.test(text), Value.Check(schema, value), `${route}: ${text}`)
      }),
      { numRuns: rounds(50) }
    )
  }
})
