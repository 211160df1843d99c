import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  clientIdOf,
  everyBrokerTakes,
  isObjectTopic,
  isTopicFilter,
  isWithinTopicLimits,
  MAX_TOPIC_BYTES,
  MAX_TOPIC_LEVELS,
  topicMatches,
  unshared,
  withClientId
} from '../../src/lib/topic.ts'

test('topicMatches', () => {
  const f = (filter: string, topic: string, want: boolean) =>
    assert.equal(topicMatches(filter, topic), want, `${filter} ~ ${topic}`)

  f('42/obj/#', '42/obj/hall/temp', true)
  f('42/obj/#', '42/obj', true)
  f('42/obj/+', '42/obj/hall/temp', false)
  f('42/obj/+/temp', '42/obj/hall/temp', true)
  f('42/obj/hall', '42/obj/hall/temp', false)
  f('42/obj/hall/temp', '42/obj/hall', false)
  f('#', '42/obj', true)
  f('+', '42', true)
  f('+/obj', '42/obj', true)
  f('#', '$SYS/broker', false)
  f('+/broker', '$SYS/broker', false)
  f('$SYS/#', '$SYS/broker', true)
  f('42//temp', '42//temp', true)
  f('42/+/temp', '42//temp', true)
  f('a/b', 'A/b', false)
})

test('topicMatches agrees with a regular expression made from the filter', () => {
  const level = fc.constantFrom('a', 'b', '', 'aa')
  const topics = fc.array(level, { minLength: 1, maxLength: 4 }).map((l) => l.join('/'))
  const filters = fc
    .tuple(
      fc.array(fc.oneof(level, fc.constant('+')), { minLength: 1, maxLength: 4 }),
      fc.boolean()
    )
    .map(([levels, rest]) => [...levels, ...(rest ? ['#'] : [])].join('/'))
  fc.assert(
    fc.property(filters, topics, (filter, topic) => {
      const pattern = filter
        .split('/')
        .map((l) => (l === '+' ? '[^/]*' : l === '#' ? '#' : l))
        .join('/')
        .replace(/\/#$/, '(/.*)?')
      assert.equal(topicMatches(filter, topic), new RegExp(`^${pattern}$`).test(topic))
    })
  )
})

test('isWithinTopicLimits', () => {
  const f = (text: string, want: boolean) =>
    assert.equal(isWithinTopicLimits(text), want, `${text.slice(0, 20)}... ${text.length}`)
  f('', true)
  f('42/obj/hall/temp', true)
  f('a'.repeat(MAX_TOPIC_BYTES), true)
  f('a'.repeat(MAX_TOPIC_BYTES + 1), false)
  f('é'.repeat(MAX_TOPIC_BYTES / 2), true)
  f('é'.repeat(MAX_TOPIC_BYTES / 2 + 1), false)
  f(Array(MAX_TOPIC_LEVELS).fill('a').join('/'), true)
  f(
    Array(MAX_TOPIC_LEVELS + 1)
      .fill('a')
      .join('/'),
    false
  )
  f('/'.repeat(MAX_TOPIC_LEVELS - 1), true)
  f('/'.repeat(MAX_TOPIC_LEVELS), false)
  f(`${'+/'.repeat(MAX_TOPIC_LEVELS - 1)}#`, true)
  f(`${'+/'.repeat(MAX_TOPIC_LEVELS)}#`, false)
  f('a'.repeat(10_000_000), false)
})

test('everyBrokerTakes', () => {
  const f = (topic: string, want: boolean) =>
    assert.equal(everyBrokerTakes(topic), want, JSON.stringify(topic).slice(0, 30))
  f('42/set/lamp', true)
  f('42/set/温度 😀', true)
  f('', false)
  f('42/set/#', false)
  f('42/set/a\nb', false)
  f('42/set/a\u007fb', false)
  f('42/set/a\u0085b', false)
  f('42/set/a\ufffeb', false)
  f('42/set/a\u{1ffff}b', false)
  f('42/set/'.repeat(MAX_TOPIC_LEVELS), false)
  f('x'.repeat(MAX_TOPIC_BYTES + 1), false)
})

test('isTopicFilter', () => {
  const f = (text: string, want: boolean) => assert.equal(isTopicFilter(text), want, text)
  f('42/obj/#', true)
  f('+/+/x', true)
  f('/', true)
  f('', false)
  f('a/#/b', false)
  f('a#', false)
  f('a/b+', false)
  f('a\0b', false)
  f('x'.repeat(65_536), false)
})

test('clientIdOf', () => {
  const f = (topic: string, want: number | undefined) =>
    assert.equal(clientIdOf(topic), want, topic)
  f('42/obj/x', 42)
  f('42', 42)
  f('042/obj', undefined)
  f('0/obj', undefined)
  f('-1/obj', undefined)
  f('4e2/obj', undefined)
  f('x/obj', undefined)
  f('/obj', undefined)
  f('99999999999999999/obj', undefined)
})

test('isObjectTopic', () => {
  const f = (topic: string, want: boolean) => assert.equal(isObjectTopic(topic), want, topic)
  f('42/obj/temp', true)
  f('42/obj/hall/temp', true)
  f('42/obj', false)
  f('42/obj/', false)
  f('42/object/temp', false)
  f('42/set/obj/temp', false)
  f('obj/temp', false)
})

test('withClientId', () => {
  const f = (filter: string, want: string) => assert.equal(withClientId(42, filter), want)
  f('obj/temp', '42/obj/temp')
  f('42/obj/temp', '42/obj/temp')
  f('#', '42/#')
  f('421/obj/temp', '42/421/obj/temp')
})

test('unshared', () => {
  const f = (filter: string, want: string | undefined) =>
    assert.equal(unshared(filter), want, filter)
  f('42/#', '42/#')
  f('$SYS/#', '$SYS/#')
  f('$share/group/42/#', '42/#')
  f('$share/group//x', '/x')
  f('$share/group/$share/group/x', '$share/group/x')
  f('$share/group/', undefined)
  f('$share/group', undefined)
  f('$share//42/#', undefined)
  f('$share/+/42/#', undefined)
  f('$share/a#/42/#', undefined)
})
