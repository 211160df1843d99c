import assert from 'node:assert/strict'
import { test } from 'node:test'
import { likePattern, metaFilters } from '../../src/lib/meta-filter.ts'

test('metaFilters', () => {
  const f = (query: Record<string, unknown>, want: unknown) =>
    assert.deepEqual(metaFilters(query), want)

  f({ room: 'hall' }, [{ key: 'room', patterns: ['hall'] }])
  f({ floor: ['1', '2'] }, [{ key: 'floor', patterns: ['1', '2'] }])
  f({ 'app.id': '7', room: '' }, [{ key: 'app.id', patterns: ['7'] }])
  f({ type: 'x', silent: 'true', assigned: '1', executor: 'y', force: '1' }, [])
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
