import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

type Sample = { topic: string; value: number }

/** A platform on an external broker with a mapped installation, and a device at the broker. */
async function withDevice(t: TestContext) {
  const broker = await startMosquitto(t)
  const { world, stop, deps, logged } = await startTestPlatform({
    settings: { CARACAL_BUS_URL: `mqtt://127.0.0.1:${broker.port}` }
  })
  t.after(stop)
  const { id, client_id } = await world.installation()
  const as = world.admin
  const map = (body: object) => world.request(`POST /api/v2/mapping/${id}`, { as, body })
  const device = await mqttClient(t, broker.port)
  await device.subscribe(`${client_id}/#`)
  const send = (rest: string, payload: string) =>
    device.publish(`${client_id}/${rest}`, payload, { qos: 1 })
  const heard = () => device.messages.map(({ topic }) => topic.replace(/^\d+\//, ''))
  const stored = async () => {
    await deps.spool.settled()
    const query = 'from=0&to=4000000000&limit=1000&order=asc'
    const { json } = await world.request(`GET /api/v3beta/log/${id}?${query}`, { as })
    const { data } = json as { data: Sample[] }
    return data.map(({ topic, value }) => `${topic.replace(/^\d+\//, '')} ${value}`)
  }
  return { id, client_id, world, as, map, send, heard, stored, logged, device }
}

describe('mappings with an external broker', { skip: withoutMosquitto }, () => {
  test('messages are mapped, each value is stored once, and commands go to the device', async (t) => {
    const { map, send, heard, stored, id, world, as } = await withDevice(t)
    await send('dev/stat/plug/POWER', 'ON')
    const { json } = await map({ make: 'tasmota' })
    await map({ filter: 'attic/#', values: [{ path: '*', topic: 'obj/{1}/{*}' }] })
    // The sessions ask the broker for more in the background.
    await eventually(async () => {
      await send('dev/stat/plug/POWER2', 'ON')
      assert(heard().includes('obj/dev/tasmota/plug/POWER2'))
    })
    await eventually(async () => {
      await send('attic/probe', '{"probe": 1}')
      assert(heard().includes('obj/attic/probe'))
    })
    await send('attic/x', '{"a": 1, "b": 2}')
    await send('dev/stat/plug/POWER', 'OFF')
    await send('obj/plain', '{"value": 3, "timestamp": 1000}')
    await send('set/obj/dev/tasmota/plug/POWER', '1')
    await eventually(async () => {
      assert(heard().includes('dev/cmnd/plug/POWER'))
      const own = (await stored()).filter((one) => !/probe|POWER2/.test(one))
      assert.deepEqual(own.sort(), [
        'obj/attic/a 1',
        'obj/attic/b 2',
        'obj/dev/tasmota/plug/POWER 0',
        'obj/plain 3'
      ])
    })
    const commands = heard().filter((topic) => topic.includes('cmnd'))
    assert.deepEqual(commands, ['dev/cmnd/plug/POWER'])
    // Without mappings the platform reads values only.
    for (const { id: mapping } of [json as { id: number }]) {
      await world.request(`DELETE /api/v2/mapping/${id}/${mapping}`, { as })
    }
    await send('dev/stat/plug/POWER', 'ON')
    await send('obj/last', '{"value": 4}')
    await eventually(async () => assert((await stored()).includes('obj/last 4')))
    assert(!(await stored()).includes('obj/dev/tasmota/plug/POWER 1'))
  })

  test('a value that somebody sends again is not mapped, and not stored twice', slow, async (t) => {
    const { map, send, heard, stored } = await withDevice(t)
    await map({ filter: '#', values: [{ topic: 'obj/all' }] })
    // Each value is another one: the same value in the same millisecond is one sample.
    let sent = 0
    await eventually(async () => {
      await send('dev/x', String(++sent))
      assert(heard().includes('obj/all'))
    })
    await eventually(async () => {
      const values = await stored()
      assert.equal(values.length, heard().filter((topic) => topic === 'obj/all').length)
      assert.equal(new Set(values).size, values.length)
      assert(values.every((one) => /^obj\/all \d+$/.test(one) && Number(one.slice(8)) <= sent))
    })
  })
})
