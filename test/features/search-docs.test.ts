import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Docs } from '../../src/features/search/docs.ts'
import { DOCS_PER_CHUNK } from '../../src/features/search/segment.ts'

const docsWith = (ids: Iterable<number>): Docs => {
  const docs = new Docs('device')
  for (const id of ids) docs.add(id)
  return docs
}

test('a few documents of each of many chunks are read at once', () => {
  const ids = Array.from({ length: 60 }, (_, chunk) => chunk * DOCS_PER_CHUNK + 7)

  assert.deepEqual([...docsWith(ids.toReversed()).ids()], [ids])
})

test('many documents are read in parts, in rising order', () => {
  const ids = Array.from({ length: 6000 }, (_, i) => 20 * i)

  const parts = [...docsWith(ids).ids()]

  assert.deepEqual(parts.flat(), ids)
  assert.ok(parts.length > 1, 'one part')
})
