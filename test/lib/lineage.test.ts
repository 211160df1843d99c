import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  highest,
  type Ids,
  idsOf,
  type Lineage,
  listed,
  mismatch,
  noIds
} from '../../src/lib/lineage.ts'

const upTo = (id: number): Ids => idsOf(() => id)
const registry = {
  ...{ name: 'the registry', platform: 'aaaaaaaabbbb', reached: upTo(5), reserved: upTo(2000) },
  ...{ hasHistory: true, isNew: false }
}
const history = {
  ...{ name: 'the history', platform: 'aaaaaaaabbbb', reached: upTo(5), reserved: upTo(2000) }
}

test('mismatch', () => {
  const f = (
    part: Partial<Lineage>,
    why: RegExp | undefined,
    of: Partial<typeof registry> = {}
  ) => {
    const found = mismatch({ ...registry, ...of }, { ...history, ...part })
    if (why) assert.match(found ?? '', why)
    else assert.equal(found, undefined)
  }

  f({}, undefined)
  f({ reached: upTo(4), reserved: upTo(1000) }, undefined)
  f({ platform: undefined, reached: noIds, reserved: noIds }, undefined)
  f({ platform: undefined, reached: { ...noIds, installation: 5 }, reserved: noIds }, undefined)
  f(
    { platform: undefined, reached: { ...noIds, installation: 6 }, reserved: noIds },
    /^the registry is older than the history: .* has seen installation 6$/
  )
  f(
    { reached: { ...upTo(5), user: 6 } },
    /it has given out .*user 5.*, but the history has seen .*user 6/
  )
  f(
    { reserved: upTo(3000) },
    /has reserved .*user 2000.*, but the history has reserved .*user 3000/
  )
  f(
    { platform: 'ccccccccdddd' },
    /^the registry is platform aaaaaaaa, but the history belongs to platform cccccccc$/
  )
  f(
    { platform: 'ccccccccdddd' },
    /^the registry is new, but the history belongs to platform cccccccc and has seen organization 5, user 5/,
    { isNew: true, reached: noIds }
  )
})

test('highest and listed', () => {
  assert.deepEqual(highest(upTo(3), { ...upTo(1), user: 7 }), { ...upTo(3), user: 7 })
  assert.deepEqual(highest(), noIds)
  assert.equal(listed({ ...noIds, user: 3, installation: 7 }), 'user 3, installation 7')
  assert.equal(listed(noIds), 'no ids')
})
