import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { idsOf } from '../../src/lib/lineage.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { IDS_PER_STEP } from '../../src/registry/id-reserves.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

/** Makes this many organizations; returns the id of the last. */
const make = (registry: Registry, count: number): Promise<number> =>
  registry.transaction().execute(async (registry) => {
    let last = 0
    for (let i = 0; i < count; i++) {
      last = await insertOrganization(registry, { name: 'x', parent_id: 1 }, 0)
    }
    return last
  })

test(
  'ids that are used quickly are reserved in time, and history knows them soon',
  slow,
  async (t) => {
    const { deps, stop } = await startTestPlatform()
    t.after(stop)
    const { registry, history, lineage } = deps
    let last = 0
    while (last < 2.5 * IDS_PER_STEP) {
      await lineage.ahead()
      last = await make(registry, IDS_PER_STEP / 10)
      await lineage.note()
    }
    await eventually(async () => {
      const { reached, reserved } = await history.lineage()
      assert.equal(reached.organization, last)
      assert(reserved.organization >= last)
    })
  }
)

test(
  'while history is away a whole step of ids can be used, then creating waits for history',
  slow,
  async (t) => {
    const { deps, world, stop } = await startTestPlatform()
    t.after(stop)
    const { registry, history } = deps
    const reserved = await eventually(async () => {
      const { reserved } = await history.lineage()
      assert(reserved.organization > IDS_PER_STEP)
      return reserved
    })
    await history.close()
    const left = reserved.organization - 1
    assert(left >= IDS_PER_STEP, `only ${left} ids are left`)
    assert.equal(await make(registry, left), reserved.organization)
    await assert.rejects(make(registry, 1), Unavailable)
    await wait(1100)
    const refused = await world.request('POST /api/v2/organization', {
      as: world.admin,
      body: { name: 'One too many', parent: 1 }
    })
    assert.equal(refused.status, 503)
    const user = await world.request('GET /api/v2/user/me', { as: world.admin })
    assert.equal(user.status, 200)
  }
)

test('an answer with a new id is sent after the spool has stored the id', async (t) => {
  const { deps, world, stop } = await startTestPlatform()
  t.after(stop)
  for (let i = 0; i < 20; i++) {
    const { json } = await world.request('POST /api/v2/organization', {
      as: world.admin,
      body: { name: 'x', parent: 1 }
    })
    const { reached } = await deps.spool.lineage()
    assert.deepEqual(reached, {
      ...idsOf((kind) => reached[kind]),
      organization: (json as { id: number }).id
    })
  }
})
