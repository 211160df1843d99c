import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SearchDocument } from '../../src/features/search/document.ts'
import { matcherOf } from '../../src/features/search/document.ts'
import { wantedBy } from '../../src/features/search/query.ts'
import { documentTokens, OVERSIZED, queryTokens } from '../../src/features/search/tokens.ts'
import { wideQuery, wideTokens, withProtected } from '../../src/features/search/wide-tokens.ts'
import { rounds } from '../support/rounds.ts'

const document = (parts: Partial<SearchDocument>): SearchDocument => ({
  kind: 'function',
  id: 7,
  name: 'Hall lamp',
  type: 'zwave',
  notes: '',
  clientId: null,
  installationId: 1,
  organizationId: 1,
  meta: {},
  protectedMeta: {},
  created: 0,
  updated: 0,
  ...parts
})

test('a search has the expected number of tokens', () => {
  const f = (q: string, filters: Record<string, string[]>, all: number, any: number) => {
    const query = {
      wanted: wantedBy(q),
      filters: Object.entries(filters).map(([key, patterns]) => ({ key, patterns }))
    }
    const found = queryTokens(query, false)
    assert.deepEqual([found?.all.length ?? 0, found?.any.length ?? 0], [all, any], q)
  }
  f('*', {}, 0, 0)
  f('12', {}, 0, 0)
  f('ab', {}, 0, 0)
  f('a*b*c', {}, 0, 0)
  f('abc', {}, 1, 0)
  f('abcd', {}, 2, 0)
  f('abc*def', {}, 2, 0)
  f('x'.repeat(10_000), {}, 1, 0)
  f('a temperature far too long to look for all of it', {}, 6, 0)
  f('*', { room: ['hall'] }, 1, 0)
  f('*', { room: ['*'] }, 0, 0)
  f('*', { room: ['ha*'] }, 0, 0)
  f('*', { room: ['hal*'] }, 1, 0)
  f('*', { room: ['hall', 'lobby'] }, 0, 1)
  f('*', { room: ['hall', 'l*'] }, 0, 0)
  f('temperature', { room: ['hall'], floor: ['1'] }, 5, 0)
})

test('tokens of a document do not depend on case', () => {
  const tokens = (parts: Partial<SearchDocument>) => documentTokens(document(parts)).sort()
  assert.deepEqual(tokens({ meta: { Room: 'ÄRM' } }), tokens({ meta: { room: 'ärm' } }))
  assert.notDeepEqual(tokens({ meta: { room: 'hall' } }), tokens({ meta: { room2: 'hall' } }))
})

test('a document with too many tokens has one that every search looks for', () => {
  const text = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(33 + i)).join('')
  assert.deepEqual(documentTokens(document({ meta: { text } })), [OVERSIZED])
  const long = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, 'a'.repeat(4000)]))
  assert.deepEqual(documentTokens(document({ meta: long })), [OVERSIZED])
  assert.notDeepEqual(documentTokens(document({ meta: { text: text.slice(0, 2500) } })), [
    OVERSIZED
  ])
})

test('a caller who sees no protected metadata does not use their tokens', () => {
  const secret = { pin: 'hemlig kod' }
  const own = new Set(documentTokens(document({ name: '', type: null, protectedMeta: secret })))
  const asked = (seesProtected: boolean) => {
    const filters = [{ key: 'pin', patterns: ['hemlig kod'] }]
    const { all, any } = queryTokens({ wanted: wantedBy('hemlig'), filters }, seesProtected) ?? {
      all: [],
      any: []
    }
    return [...all, ...any.flat()]
  }
  assert(asked(true).some((token) => own.has(token)))
  assert(!asked(false).some((token) => own.has(token)))
})

test('every document that matches has the tokens of the search', () => {
  const text = fc.oneof(
    fc.constantFrom('Hall', 'hallway', 'ÄRM 100%', '😀 lamp', 'İstanbul', 'a', ''),
    fc.string({ unit: fc.constantFrom('a', 'B', 'c', '1', ' ', 'ß'), maxLength: 12 })
  )
  const meta = fc.dictionary(fc.constantFrom('room', 'Room', 'a.b'), text, { maxKeys: 3 })
  const q = fc.oneof(
    text,
    fc.array(text, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('*'))
  )
  const filters = fc.uniqueArray(
    fc.record({
      key: fc.constantFrom('room', 'a.b'),
      patterns: fc.array(q, { minLength: 1, maxLength: 2 })
    }),
    { maxLength: 2, selector: ({ key }) => key }
  )
  fc.assert(
    fc.property(
      text,
      meta,
      meta,
      q,
      filters,
      fc.boolean(),
      (name, meta, protectedMeta, q, filters, isOpen) => {
        const query = { wanted: wantedBy(q), filters }
        const found = document({ name, meta, protectedMeta })
        const wide = isOpen ? withProtected(wideQuery(query)) : wideQuery(query)
        const wideOwn = new Set(wideTokens(found))
        const isFound = wide.groups.every((group) => group.some((token) => wideOwn.has(token)))
        const isMatch = matcherOf(query).matches(found, isOpen)
        if (query.wanted.by !== 'id' && wide.trust === 'all') assert.equal(isFound, isMatch)
        if (query.wanted.by !== 'id' && isMatch) assert(isFound)
        if (query.wanted.by === 'id' || !matcherOf(query).matches(found, isOpen)) return
        const { all, any } = queryTokens(query, isOpen) ?? { all: [], any: [] }
        const own = new Set(documentTokens(found))
        assert(all.every((token) => own.has(token)))
        assert(any.every((group) => group.some((token) => own.has(token))))
      }
    ),
    { numRuns: rounds(2000) }
  )
})
