import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  fold,
  likePattern,
  mayMatch,
  metaFilters,
  metaMatcher,
  wildcard
} from '../../src/lib/meta-filter.ts'
import { rounds } from '../support/rounds.ts'

test('metaFilters', () => {
  const f = (query: Record<string, unknown>, want: unknown) =>
    assert.deepEqual(metaFilters(query), want)

  f({ room: 'hall' }, [{ key: 'room', patterns: ['hall'] }])
  f({ floor: ['1', '2'] }, [{ key: 'floor', patterns: ['1', '2'] }])
  f({ 'app.id': '7', room: '' }, [{ key: 'app.id', patterns: ['7'] }])
  f({ silent: 'true' }, [{ key: 'silent', patterns: ['true'] }])
  f({ Room: 'hall', room: ['', 'attic'] }, [{ key: 'room', patterns: ['hall', 'attic'] }])
  f({ __proto__x: 'y' }, [{ key: '__proto__x', patterns: ['y'] }])
})

test('likePattern', () => {
  const f = (pattern: string, want: string) => assert.equal(likePattern(pattern), want)
  f('Hall*', 'hall%')
  f('100%', '100\\%')
  f('a_b', 'a\\_b')
  f('C:\\x', 'c:\\\\x')
  f('*', '%')
  f('Ärm', 'ärm')
})

test('wildcard', () => {
  const f = (pattern: string, text: string, want: boolean) =>
    assert.equal(wildcard(pattern)(fold(text)), want, `${pattern} on ${text}`)
  f('hall', 'Hall', true)
  f('hall', 'Hallway', false)
  f('hall*', 'Hallway', true)
  f('*way', 'Hallway', true)
  f('*lw*', 'Hallway', true)
  f('h*l*y', 'Hallway', true)
  f('h*y*l', 'Hallway', false)
  f('*', '', true)
  f('**', 'x', true)
  f('a*a', 'a', false)
  f('ab*ba', 'aba', false)
  f('a*b*b', 'ab', false)
  f('%', 'x', false)
  f('', '', true)
  f('ÅR*', 'Årsta', true)
  f('ΟΔΟΣ*', 'ΟΔΟΣΑ', true)
  f('οδος', 'ΟΔΟΣ', true)
  f('*ς', 'ΟΔΟΣ', true)
})

test('mayMatch never excludes something that matches', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'A', '"', '\\', 'Σ', 'ς', 'σ', 'İ', '\n', 'é', ' ')
  })
  const map = fc.dictionary(fc.constantFrom('k', 'K', 'l'), text)
  const filter = fc.record({
    key: fc.constantFrom('k', 'L'),
    patterns: fc.array(fc.oneof(text, fc.constant('*')), { minLength: 1, maxLength: 2 })
  })
  fc.assert(
    fc.property(map, fc.array(filter, { maxLength: 2 }), (meta, filters) => {
      const isMatch = metaMatcher(filters)(meta)
      assert(!isMatch || mayMatch(filters)(JSON.stringify(meta)))
    }),
    { numRuns: rounds(3000) }
  )
  const one = mayMatch([{ key: 'k', patterns: ['x'] }])
  assert.equal(one('{"k":"y"}'), false)
  assert.equal(one('{"k":"X"}'), true)
})

test('metaMatcher', () => {
  const filters = [
    { key: 'Room', patterns: ['hall', 'k*'] },
    { key: 'floor', patterns: ['1'] }
  ]
  const matches = metaMatcher(filters)
  assert.equal(matches({ room: 'Kitchen', Floor: '1' }), true)
  assert.equal(matches({ room: 'Kitchen' }, { floor: '1' }), true)
  assert.equal(matches({ room: 'Kitchen' }), false)
  assert.equal(matches({ room: 'Attic', floor: '1' }), false)
  assert.equal(metaMatcher([])({}), true)
  assert.equal(
    metaMatcher([{ key: '__proto__', patterns: ['x'] }])(JSON.parse('{"__proto__":"x"}')),
    true
  )
})
