import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

test(
  'connections and filters of all users of an organization are charged to it and to those above',
  slow,
  async (t) => {
    const settings = { CARACAL_QUOTA_ORGANIZATION: 'connections=2,filters=2' }
    const platform = await startTestPlatform({ settings })
    t.after(() => platform.stop())
    const { world, deps } = platform
    const above = await world.organization()
    const below = await world.organization(above)
    const { client_id } = await world.installation({ organization_id: below })
    const userOf = (organization: number) =>
      world.user({ grants: ['mqtt/#'], organizations: [organization] })
    const connectAs = ({ token }: { token: string }) =>
      mqttClient(t, platform.mqttPort, { username: 'any', password: token })
    const users = await Promise.all([below, below, above, 1].map(userOf))
    const [first, second, third, ofTop] = users
    assert(first && second && third && ofTop)

    const one = await connectAs(first)
    assert.deepEqual(await one.subscribe([1, 2, 3].map((n) => `${client_id}/${n}`)), [1, 1, 128])
    await connectAs(second)
    await assert.rejects(connectAs(third), { code: 3 })
    // Callers who reach the top are not charged.
    const top = await connectAs(ofTop)
    assert.deepEqual(await top.subscribe(`${client_id}/1`), [1])
    for (const id of [above, below]) {
      assert.equal(deps.quotas.counted('connections', { kind: 'organization', id }), 2)
      assert.equal(deps.quotas.counted('filters', { kind: 'organization', id }), 2)
    }
    await one.mqtt.endAsync()
    await eventually(() => connectAs(third))
    assert.equal(deps.quotas.counted('filters', { kind: 'organization', id: above }), 0)
  }
)
