import assert from 'node:assert/strict'
import { test } from 'node:test'
import { topicMatches } from '../../src/lib/topic.ts'
import { TopicTree } from '../../src/lib/topic-tree.ts'

const levels = ['', 'a', 'b', 'ab', '$x']
const pick = <T>(from: T[]): T => from[Math.floor(Math.random() * from.length)] as T
const depth = () => 1 + Math.floor(Math.random() * 5)
const topic = () => Array.from({ length: depth() }, () => pick(levels)).join('/')
const filter = () => {
  const path = Array.from({ length: depth() }, () => pick([...levels, '+', '+']))
  return (Math.random() < 0.3 ? [...path, '#'] : path).join('/')
}

test('A topic tree finds the same as a comparison with every filter, while filters are added and removed', () => {
  const tree = new TopicTree<{ filter: string }>()
  const all = new Set<{ filter: string }>()
  for (let round = 0; round < 5000; round++) {
    if (all.size > 40 || (all.size > 0 && Math.random() < 0.4)) {
      const gone = pick([...all])
      tree.remove(gone.filter, gone)
      all.delete(gone)
    } else {
      const value = { filter: filter() }
      tree.add(value.filter, value)
      tree.add(value.filter, value)
      all.add(value)
    }
    const asked = topic()
    const wanted = [...all].filter((value) => topicMatches(value.filter, asked))
    const found = tree.match(asked)
    assert.equal(found.length, wanted.length, `${asked}: ${JSON.stringify([...all])}`)
    assert.deepEqual(new Set(found), new Set(wanted))
  }
  for (const value of all) tree.remove(value.filter, value)
  for (let i = 0; i < 100; i++) assert.deepEqual(tree.match(topic()), [])
})

test('Removing a filter twice, or one that was never added, does not affect other filters', () => {
  const tree = new TopicTree<{ name: string }>()
  const [one, other] = [{ name: 'one' }, { name: 'other' }]
  tree.add('1/a/b/c', one)
  tree.add('1/a/x', other)
  for (const gone of ['1/a', '1/a/b', '1', '2', '1/a/b/c/d', '1/a/x']) tree.remove(gone, one)
  assert.deepEqual(tree.match('1/a/b/c'), [one])
  assert.deepEqual(tree.match('1/a/x'), [other])
})
