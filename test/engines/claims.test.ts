import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordChange } from '../../src/registry/changes.ts'
import { type Claims, openClaims } from '../../src/registry/claims.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { eventually } from '../support/eventually.ts'
import { endConnections } from '../support/postgres.ts'
import { onEveryRegistry } from '../support/registries.ts'

onEveryRegistry('claims', ({ name, url }) => {
  const open = async (
    t: { after(close: () => unknown): void },
    at: string,
    { isAlone = false, onChange = () => {} } = {}
  ): Promise<Claims> => {
    const claims = await openClaims(at, isAlone)
    claims.onChange(onChange)
    t.after(() => claims.close())
    return claims
  }

  test('a node alone has everything it asks for', async (t) => {
    const claims = await open(t, await url())
    assert.equal(await claims.take('scheduler'), true)
    assert.equal(await claims.take('scheduler'), true)
    assert.equal(await claims.take('slot 3'), true)
    await claims.release('slot 3')
    assert.equal(await claims.take('slot 3'), true)
    assert.equal(await claims.nodes(), 1)
    assert.equal(claims.failure, undefined)
  })

  if (name === 'SQLite') return

  test('what one node has no other gets, until it is given back', async (t) => {
    const at = await url()
    const [one, two] = [await open(t, at), await open(t, at)]
    assert.equal(await one.take('scheduler'), true)
    assert.equal(await two.take('scheduler'), false)
    assert.equal(await two.take('slot 0'), true)
    assert.equal(await two.nodes(), 2)
    await one.release('scheduler')
    assert.equal(await two.take('scheduler'), true)
    assert.equal(await one.take('scheduler'), false)
  })

  test('what a node had that is gone is free, and it is not counted any more', async (t) => {
    const at = await url()
    const [one, two] = [await open(t, at), await open(t, at)]
    await one.take('scheduler')
    await one.close()
    assert.equal(await one.take('scheduler'), false)
    await eventually(async () => assert.equal(await two.take('scheduler'), true))
    assert.equal(await two.nodes(), 1)
  })

  test('a node whose connection breaks has nothing until it is back', async (t) => {
    const at = await url()
    let changes = 0
    const one = await open(t, at, { onChange: () => changes++ })
    const two = await open(t, at)
    await one.take('scheduler')
    await endConnections(at)
    await eventually(() => assert.notEqual(one.failure, undefined))
    await eventually(() => assert.equal(one.failure, undefined))
    assert.equal(changes, 1, 'it reads what it may have missed')
    await eventually(async () => assert.equal(await two.nodes(), 2))
    const holders = [await two.take('scheduler'), await one.take('scheduler')]
    assert.deepEqual(holders, [true, false])
  })

  test('what a node keeps it has again as soon as it is back', async (t) => {
    const at = await url()
    const [one, two] = [await open(t, at), await open(t, at)]
    assert.equal(await one.keep('data x'), true)
    assert.equal(await two.keep('data x'), false)
    await endConnections(at)
    await eventually(() => assert.notEqual(one.failure, undefined))
    await eventually(() => assert.equal(one.failure, undefined))
    await eventually(() => assert.equal(two.failure, undefined))
    assert.equal(await two.take('data x'), false)
  })

  test('other nodes hear of a change when it is committed', async (t) => {
    const at = await url()
    const registry = await openRegistry({ url: at, dataDir: '' })
    t.after(() => registry.destroy())
    let changes = 0
    await open(t, at, { onChange: () => changes++ })
    await registry.transaction().execute(async (registry) => {
      await recordChange(registry, 'user', 1, 0)
      assert.equal(changes, 0)
    })
    await eventually(() => assert.equal(changes, 1))
  })

  test('a node that must be alone refuses to join others, and nobody joins it', async (t) => {
    const at = await url()
    const alone = await open(t, at, { isAlone: true })
    await Promise.all([
      assert.rejects(openClaims(at, false), /history, broker or files of its own/),
      assert.rejects(openClaims(at, true), /another Caracal uses/)
    ])
    await alone.close()
    const shared = await open(t, at)
    assert.equal(await shared.nodes(), 1)
  })
})
