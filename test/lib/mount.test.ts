import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isMountPrefix, Mount } from '../../src/lib/mount.ts'
import { topicMatches } from '../../src/lib/topic.ts'

test('isMountPrefix', () => {
  const f = (prefix: string, want: boolean) => assert.equal(isMountPrefix(prefix), want, prefix)

  f('dev', true)
  f('a/b/c/d/e/f/g/h', true)
  f('zigbee2mqtt/Küche 1', true)
  f('house/obj', true)
  f('objects', true)
  f('...', true)
  f('0', true)
  f('a/b/c/d/e/f/g/h/i', false)
  for (const tree of ['obj', 'set', 'evt']) {
    f(tree, false)
    f(`${tree}/hall`, false)
  }
  for (const level of [
    '',
    '.',
    '..',
    '+',
    '#',
    'a+',
    '#a',
    '$',
    '$SYS',
    'a$b',
    '\0',
    'a\nb',
    '\x7f'
  ]) {
    f(level, false)
    f(`dev/${level}`, false)
    f(`dev/${level}/x`, false)
  }
  f('/dev', false)
  f('\ud800', false)
  f('\ufdd0', false)
  f('x'.repeat(128), true)
  f('x'.repeat(129), false)
  f('é'.repeat(65), false)
})

test('the topics of a mounted client', () => {
  const mount = new Mount(1001, 'dev')
  const f = (own: string, whole: string) => {
    assert.equal(mount.enter(own), whole)
    assert(mount.has(whole))
    assert.equal(mount.leave(whole), own)
  }

  f('a', '1001/dev/a')
  f('/a', '1001/dev//a')
  f('#', '1001/dev/#')
  f('+/x', '1001/dev/+/x')
  f('1001/dev/a', '1001/dev/1001/dev/a')
  f('../obj/a', '1001/dev/../obj/a')
  for (const outside of [
    '1001/dev',
    '1001/dev/',
    '1001/device/a',
    '1001/obj/a',
    '2/dev/a',
    'dev/a'
  ]) {
    assert(!mount.has(outside), outside)
  }
})

test('what begins with $ is neither moved nor inside', () => {
  const mount = new Mount(1001, 'dev')
  for (const topic of ['$SYS/x', '$share/g/#', '$', '']) {
    assert.equal(mount.enter(topic), topic)
    assert(!mount.has(topic))
    assert(!mount.has(`1001/dev/${topic}`))
  }
})

const level = fc.constantFrom('a', 'b', '', '1001', 'dev', '..', 'obj', '$x', 'ä')
const levels = (one: fc.Arbitrary<string>) =>
  fc.array(one, { minLength: 1, maxLength: 4 }).map((list) => list.join('/'))
const topics = levels(level)
const filters = fc
  .tuple(levels(fc.oneof(level, fc.constant('+'))), fc.boolean())
  .map(([text, isOpen]) => (isOpen ? `${text}/#` : text))

test('a filter matches through a mount exactly what it matches without', () => {
  const mount = new Mount(1001, 'dev/1001')
  fc.assert(
    fc.property(fc.oneof(filters, fc.constant('#')), topics, (filter, topic) => {
      fc.pre(filter !== '' && topic !== '' && !filter.startsWith('$') && !topic.startsWith('$'))
      const [whole, place] = [mount.enter(filter), mount.enter(topic)]
      assert.equal(topicMatches(whole, place), topicMatches(filter, topic))
    })
  )
})

test('whatever a client sends, it reaches nothing outside', () => {
  const mount = new Mount(1001, 'dev')
  fc.assert(
    fc.property(fc.oneof(filters, fc.string()), fc.oneof(topics, fc.string()), (filter, topic) => {
      const [whole, place] = [mount.enter(filter), mount.enter(topic)]
      if (!place.startsWith('$') && place !== '') assert(place.startsWith('1001/dev/'))
      // A filter is compared with any topic of the broker, and `has` is asked for each delivery.
      if (topicMatches(whole, topic) && mount.has(topic) && !whole.startsWith('$')) {
        assert(topic.startsWith('1001/dev/'))
        assert.notEqual(mount.leave(topic), '')
      }
    })
  )
})
