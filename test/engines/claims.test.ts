import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordChange } from '../../src/registry/changes.ts'
import type { Claims } from '../../src/registry/claims.ts'
import { openClaims, openRegistry } from '../../src/registry/open.ts'
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

  test('a single node gets every claim that it asks for', async (t) => {
    const claims = await open(t, await url())
    assert.equal(await claims.take('scheduler'), true)
    assert.equal(await claims.take('scheduler'), true)
    assert.equal(await claims.take('slot 3'), true)
    await claims.release('slot 3')
    assert.equal(await claims.take('slot 3'), true)
    assert.equal(await claims.nodes(), 1)
    await claims.setReading(true)
    assert.equal(await claims.readers(), 1)
    assert.equal(claims.failure, undefined)
  })

  if (name === 'SQLite') return

  test('a claim of one node is not given to another until it is released', async (t) => {
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

  test('a claim that a node asked for twice at the same time is free after one release', async (t) => {
    const at = await url()
    const [one, two] = [await open(t, at), await open(t, at)]
    const taken = await Promise.all([one.take('scheduler'), one.take('scheduler')])
    assert.deepEqual(taken, [true, true])
    await one.release('scheduler')
    assert.equal(await two.take('scheduler'), true)
  })

  test('nodes that read are counted, also after their connection broke', async (t) => {
    const at = await url()
    const [one, two] = [await open(t, at), await open(t, at)]
    assert.equal(await one.readers(), 0)
    await one.setReading(true)
    await two.setReading(true)
    assert.equal(await one.readers(), 2)
    await endConnections(at)
    await eventually(async () => assert.equal(await two.readers(), 2))
    await eventually(() => assert.equal(one.failure, undefined))
    await one.setReading(false)
    assert.equal(await two.readers(), 1)
    assert.equal(await two.nodes(), 2)
  })

  test('the claims of a node that has ended are free, and the node is no longer counted', async (t) => {
    const at = await url()
    const [one, two] = [await open(t, at), await open(t, at)]
    await one.take('scheduler')
    await one.close()
    assert.equal(await one.take('scheduler'), false)
    await eventually(async () => assert.equal(await two.take('scheduler'), true))
    assert.equal(await two.nodes(), 1)
  })

  test('a node whose connection breaks has no claims until it is connected again', async (t) => {
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

  test('a node gets the claims that it keeps again as soon as it is connected', async (t) => {
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

  test('other nodes are told about a change when it is committed', async (t) => {
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

  test('a node that must run alone does not start beside others, and no other starts beside it', async (t) => {
    const at = await url()
    const alone = await open(t, at, { isAlone: true })
    await Promise.all([
      assert.rejects(openClaims(at, false), /it does not share its history, broker or files/),
      assert.rejects(openClaims(at, true), /another Caracal uses/)
    ])
    await alone.close()
    const shared = await open(t, at)
    assert.equal(await shared.nodes(), 1)
  })
})
