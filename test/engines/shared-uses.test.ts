import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { SIGN_IN, Throttle } from '../../src/identity/throttle.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { HOUR, MINUTE } from '../../src/lib/unix-time.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { SharedUses, sharedUsesOf } from '../../src/registry/shared-uses.ts'
import { temporaryDirectory } from '../support/process.ts'
import { onPostgres } from '../support/registries.ts'

onPostgres('nodes that share a registry', (engine) => {
  const nodes = async (t: { after(close: () => Promise<void>): void }) => {
    const url = await engine.url()
    const registries = [
      await openRegistry({ url, dataDir: '' }),
      await openRegistry({ url, dataDir: '' })
    ] as const
    t.after(async () => {
      for (const registry of registries) await registry.destroy()
    })
    return registries
  }

  test('count failed sign-ins together', async (t) => {
    const [one, two] = (await nodes(t)).map(
      (registry) => new Throttle(systemClock, sharedUsesOf(registry, systemClock), SIGN_IN)
    )
    assert(one && two)
    const tries = await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? one : two).take('a@x', '1.1.1.1'))
    )
    assert.equal(tries.filter((seconds) => seconds === 0).length, 10)
    for (const node of [one, two]) {
      const seconds = await node.take('a@x', '1.1.1.1')
      assert(seconds > 290 && seconds <= 300, String(seconds))
    }
    assert.equal(await two.take('a@x', '2.2.2.2'), 0, 'the owner elsewhere gets in')
    assert.equal(await two.take('b@x', '1.1.1.1'), 0)
  })

  test('forget the failures of an account together, and not those of an address', async (t) => {
    const [one, two] = (await nodes(t)).map(
      (registry) => new Throttle(systemClock, sharedUsesOf(registry, systemClock), SIGN_IN)
    )
    assert(one && two)
    for (let i = 0; i < 9; i++) assert.equal(await one.take('a@x', '1.1.1.1'), 0)
    assert.equal(await two.take('a@x', '1.1.1.1'), 0)
    await two.succeeded('a@x', '1.1.1.1')
    assert.equal(await one.take('a@x', '1.1.1.1'), 0, 'the account is free on both')
    for (let i = 0; i < 90; i++) assert.equal(await one.take(`user${i}@x`, '1.1.1.1'), 0)
    assert((await two.take('somebody@x', '1.1.1.1')) > 0, 'the address failed 100 times')
  })

  test('forget what is older than an hour', async (t) => {
    const [registry] = await nodes(t)
    const limit = { key: 'x', most: 1, windowMs: MINUTE }
    const uses = new SharedUses(registry, systemClock)
    assert.equal(await uses.take([limit]), 0)
    assert((await uses.take([limit])) > 0)
    await sql`update recent_uses set at = at - ${MINUTE}`.execute(registry)
    assert.equal(await uses.take([limit]), 0, 'the minute is over')
    await sql`update recent_uses set at = at - ${2 * HOUR}`.execute(registry)
    assert.equal(await new SharedUses(registry, systemClock).take([limit]), 0)
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from recent_uses`.execute(registry)
    assert.equal(rows[0]?.count, 1)
  })
})

test('a single node asks no table', async (t) => {
  const registry = await openRegistry({ url: '', dataDir: temporaryDirectory() })
  t.after(() => registry.destroy())
  assert.equal(sharedUsesOf(registry, systemClock), undefined)
})
