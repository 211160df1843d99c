import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergedTexts, sortedTexts } from '../../src/history/latest/sorted-texts.ts'
import { topicMatches } from '../../src/lib/topic.ts'
import { matchingTopics, WalkTooLong } from '../../src/lib/topic-walk.ts'
import { Turns } from '../../src/lib/turns.ts'
import { rounds, slow } from '../support/rounds.ts'

const turns = () => new Turns()

test('sortedTexts and mergedTexts agree with a sorted set', async () => {
  const texts = fc.array(fc.string({ maxLength: 3 }), { maxLength: 1500 })
  await fc.assert(
    fc.asyncProperty(texts, texts, async (a, b) => {
      const [left, right] = [await sortedTexts(a, turns()), await sortedTexts(b, turns())]
      assert.deepEqual(left, [...new Set(a)].sort())
      assert.deepEqual(await mergedTexts(left, right, turns()), [...new Set([...a, ...b])].sort())
    }),
    { numRuns: rounds(50) }
  )
})

test('matchingTopics finds the same as topicMatches, in order', async () => {
  // Characters that sort before and after the slash, empty levels, levels that are the start of another, and `$`.
  const level = fc.constantFrom('a', 'b', '', 'a-', 'a0', 'aa', '$s', '😀', '\uffff')
  const topic = fc.array(level, { minLength: 1, maxLength: 5 }).map((levels) => levels.join('/'))
  const wild = fc.oneof(level, fc.constant('+'), fc.constant('x+'), fc.constant('#'))
  const filter = fc.array(wild, { minLength: 1, maxLength: 5 }).map((levels) => levels.join('/'))
  await fc.assert(
    fc.asyncProperty(
      fc.array(topic, { maxLength: 80 }),
      fc.array(filter, { maxLength: 8 }),
      async (given, filters) => {
        const topics = await sortedTexts(given, turns())
        assert.deepEqual(
          await matchingTopics(topics, filters, turns()),
          topics.filter((topic) => filters.some((one) => topicMatches(one, topic)))
        )
      }
    ),
    { numRuns: rounds(2000) }
  )
})

test('the cost of a filter depends on what it matches, and a long search gives way to others', async () => {
  class Counted extends Turns {
    steps = 0
    pauses = 0
    override isOver(steps = 1): boolean {
      this.steps += steps
      return super.isOver(steps)
    }
    override next(): Promise<void> {
      this.pauses++
      return super.next()
    }
  }
  const topics = await sortedTexts(
    Array.from({ length: 20_000 }, (_, i) => `7/obj/room${i % 200}/sensor${i}/temperature`),
    turns()
  )
  const walk = async (filters: string[]) => {
    const counted = new Counted()
    const found = await matchingTopics(topics, filters, counted)
    return { ...{ count: found.length, pauses: counted.pauses }, steps: counted.steps - 20_000 }
  }
  const one = await walk(['7/obj/room5/#'])
  assert.equal(one.count, 100)
  assert(one.steps < 20, `${one.steps} steps`)
  assert.equal((await walk(['7/#'])).count, 20_000)
  const worst = await walk(
    Array.from({ length: 200 }, (_, i) => `7/+/+/+/${'+/'.repeat(i % 40)}never${i}`)
  )
  assert.equal(worst.count, 0)
  assert(worst.steps > 20_000 && worst.pauses >= worst.steps / 10_000, JSON.stringify(worst))
})

test('filters with very many possible paths are refused', slow, async () => {
  const topics = await sortedTexts(
    Array.from({ length: 5000 }, (_, i) => `7/obj/${i}/${'a/'.repeat(40)}x`),
    turns()
  )
  const filters = Array.from(
    { length: 200 },
    (_, i) =>
      `7/obj/+/${[...i.toString(2).padStart(8, '0').padEnd(40, '0')].map((bit) => (bit === '1' ? '+' : 'a')).join('/')}/no`
  )
  await assert.rejects(matchingTopics(topics, filters, turns()), WalkTooLong)
  assert.equal(
    (await matchingTopics(topics, ['7/obj/#', ...filters.slice(0, 2)], turns())).length,
    5000
  )
})
