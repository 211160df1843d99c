import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

type Alarm = { topic: string; rule_id: number | null; cleared_at: number | null }

onRegistryMatrix('alarms of the platform', (engine) => {
  const { platform } = withPlatform(engine)

  const given = async (rule: object) => {
    const { world } = platform()
    const { installation, user } = await world.site(['#'])
    const made = await world.request(`POST /api/v2/rule/${installation.id}`, {
      ...{ as: user, body: { name: 'r', ...rule } }
    })
    assert.equal(made.status, 200, made.text)
    const alarms = async () => {
      const path = `GET /api/v2/alarm/${installation.id}?from=0`
      const answer = await world.request(path, { as: user })
      assert.equal(answer.status, 200, answer.text)
      return answer.json as Alarm[]
    }
    const rule_id = (made.json as { id: number }).id
    const prefix = String(installation.client_id)
    return { world, installation, prefix, user, alarms, rule_id }
  }

  test('the first value after a rule was made is judged, and an event tells it', async () => {
    const { world, prefix, user, alarms, rule_id } = await given({
      ...{ on: { topics: ['obj/t'] }, when: { above: 25 } }
    })
    const topic = `${prefix}/obj/t`
    const published = await world.published(async () => {
      await world.publish(user, topic, { value: 30 })
      await eventually(async () => {
        const found = (await alarms()).map((one) => [one.topic, one.rule_id, one.cleared_at])
        assert.deepEqual(found, [[topic, rule_id, null]])
      })
    })
    assert(published.includes(`${prefix}/evt/alarm/updated`), published.join())
    const { json } = await world.request('GET /health/ready')
    const { engines } = json as { engines: Record<string, unknown> }
    assert.deepEqual(engines['alarms'], { ok: true, detail: 'values are judged' })
  })

  test('an import is answered when its alarms are there', async () => {
    const { world, installation, prefix, user, alarms } = await given({
      ...{ on: { topics: ['obj/#'] }, when: { above: 25 } }
    })
    const lines = Array.from({ length: 1000 }, (_, i) => {
      return `${1_700_000_000 + i},obj/${i % 10},${i < 500 ? 30 : 20},`
    })
    const answer = await world.request(`POST /api/v3beta/log/${installation.id}/import`, {
      ...{ as: user, headers: { 'content-type': 'text/csv' } },
      body: ['timestamp,topic,value,msg', ...lines].join('\n')
    })
    assert.equal(answer.status, 200, answer.text)
    const found = await alarms()
    assert.equal(found.length, 10)
    for (const { topic, cleared_at } of found) {
      const number = Number(topic.slice(`${prefix}/obj/`.length))
      assert.equal(cleared_at, 1_700_000_500 + number)
    }
  })
})
