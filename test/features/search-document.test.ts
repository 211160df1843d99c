import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matcherOf, resultOf, type SearchDocument } from '../../src/features/search/document.ts'
import { type Wanted, wantedBy } from '../../src/features/search/query.ts'

const lamp: SearchDocument = {
  kind: 'device',
  id: 7,
  name: 'Hall Lamp',
  type: 'zwave',
  notes: 'behind the door',
  clientId: null,
  installationId: 3,
  organizationId: 2,
  meta: { name: 'Hall Lamp', note: 'behind the door', Room: 'ÄRM 100%' },
  protectedMeta: { pin: '4711' },
  created: 1_700_000_000_999,
  updated: 1_700_000_001_000
}
const house: SearchDocument = {
  ...lamp,
  kind: 'installation',
  name: 'House',
  type: null,
  notes: '',
  clientId: 1003,
  meta: {},
  protectedMeta: {}
}

test('q is read as text, id or everything', () => {
  const f = (q: string, want: Wanted) => assert.deepEqual(wantedBy(q), want)
  f('*', { by: 'everything' })
  f('***', { by: 'everything' })
  f('12', { by: 'id', id: 12 })
  f('007', { by: 'id', id: 7 })
  f('12*', { by: 'text', text: '12*' })
  f(' 12', { by: 'text', text: ' 12' })
  f('-1', { by: 'text', text: '-1' })
})

test('q matches names, types, notes, client ids and metadata', () => {
  const f = (q: string, want: boolean, document = lamp, sees = false) =>
    assert.equal(matcherOf({ wanted: wantedBy(q), filters: [] }).matches(document, sees), want, q)
  f('*', true)
  f('7', true)
  f('8', false)
  f('lamp', true)
  f('ALL L', true)
  f('zwa', true)
  f('door', true)
  f('ärm', true)
  f('100%', true)
  f('100_', false)
  f('lamps', false)
  f('hall*', true)
  f('hall', true)
  f('lam*', false)
  f('*lam*', true)
  f('h*l*p', true)
  f('h**p', true)
  f('*z*w*a*v*e*', true)
  f('zwave*zwave', false)
  f('room', false)
  f('4711*', false)
  f('4711*', true, lamp, true)
  f('pin', false, lamp, true)
  f('1003*', true, house)
  f('003', false, house)
  f('*003', true, house)
  f('hou', true, house)
})

test('a result says which metadata matched', () => {
  const f = (q: string, filters: Record<string, string[]>, want: unknown, sees = false) => {
    const matcher = matcherOf({
      wanted: wantedBy(q),
      filters: Object.entries(filters).map(([key, patterns]) => ({ key, patterns }))
    })
    assert.deepEqual(matcher.metaMatches(lamp, sees), want)
  }
  f('*', {}, null)
  f('7', {}, null)
  f('zwave', {}, null)
  f('lamp', {}, { name: 'Hall Lamp' })
  f('*', { room: ['ärm*'] }, { Room: 'ÄRM 100%' })
  f('door', { room: ['x', '*'] }, { Room: 'ÄRM 100%', note: 'behind the door' })
  f('4711*', {}, null)
  f('4711*', {}, { pin: '4711' }, true)
})

test('a result has every key', () => {
  const everything = matcherOf({ wanted: wantedBy('*'), filters: [] })
  assert.deepEqual(resultOf(lamp, everything, true), {
    type: 'device',
    id: 7,
    name: 'Hall Lamp',
    description: 'zwave',
    notes: 'behind the door',
    created: 1_700_000_000,
    updated: 1_700_000_001,
    clientID: null,
    installationID: 3,
    organizationID: null,
    metaMatches: null,
    allMetadata: { ...lamp.meta, pin: '4711' }
  })
  assert.deepEqual(resultOf(house, everything, false), {
    type: 'installation',
    id: 7,
    name: 'House',
    description: null,
    notes: null,
    created: 1_700_000_000,
    updated: null,
    clientID: '1003',
    installationID: null,
    organizationID: 2,
    metaMatches: null,
    allMetadata: {}
  })
})

test('__proto__ is an ordinary key', () => {
  const meta = JSON.parse('{"__proto__":"deep"}')
  const matcher = matcherOf({ wanted: wantedBy('deep'), filters: [] })
  const { metaMatches, allMetadata } = resultOf({ ...lamp, meta }, matcher, false)
  assert.equal(
    JSON.stringify({ metaMatches, allMetadata }),
    JSON.stringify({ metaMatches: meta, allMetadata: meta })
  )
})
