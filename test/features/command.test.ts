import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { answerBack, type Bus, withCommands } from '../support/commands.ts'
import { eventually } from '../support/eventually.ts'
import { withoutMosquitto } from '../support/mosquitto.ts'
import { sqlite } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'

const buses: [Bus, false | string][] = [
  ['embedded', false],
  ['external', slow.skip || withoutMosquitto]
]

for (const [bus, skip] of buses) {
  describe(`commands with an ${bus} broker`, { skip }, () => {
    // An external broker is new for each test, and so is its platform.
    const shared = bus === 'embedded' ? withPlatform(sqlite, {}) : undefined
    const withDevices = (t: TestContext) => withCommands(t, bus, { on: shared?.platform() })

    test('a device with MQTT 5 answers on the response topic of the command', async (t) => {
      const { device, send, client_id, stored, refused } = await withDevices(t)
      const { got } = await device((sent, client) =>
        answerBack(sent, client, '{"value":1,"ok":true}', {
          contentType: 'application/json',
          userProperties: { took: '3', unit: 'ms' }
        })
      )
      const before = Date.now() / 1000
      const { status, json } = await send({
        topic: 'set/obj/lamp',
        payload: { value: 1 },
        content_type: 'text/x'
      })
      assert.equal(status, 200)
      const { timestamp, topic, ...answer } = json as { timestamp: number; topic: string }
      assert.deepEqual(answer, {
        payload: '{"value":1,"ok":true}',
        content_type: 'application/json',
        user_properties: [
          { name: 'took', value: '3' },
          { name: 'unit', value: 'ms' }
        ]
      })
      assert(timestamp >= before - 0.01 && timestamp <= Date.now() / 1000)
      const [sent] = got
      assert.equal(got.length, 1)
      assert.equal(sent?.topic, `${client_id}/set/obj/lamp`)
      assert.equal(sent.payload, '{"value":1}')
      const { responseTopic = '', correlationData, contentType } = sent.properties
      assert.match(responseTopic, new RegExp(`^${client_id}/answer/[\\w-]{22}$`))
      assert.equal(topic, responseTopic)
      assert.match(String(correlationData), /^[\w-]{16}$/)
      assert.equal(contentType, 'text/x')
      assert((sent.properties.messageExpiryInterval ?? 0) <= 10)
      assert.deepEqual(await stored(), [])
      assert.deepEqual(await refused(), [])
    })

    test('a device with MQTT 3.1.1 answers on the topic that the caller names', async (t) => {
      const { device, send, client_id } = await withDevices(t)
      await device((_, { mqtt }) => mqtt.publish(`${client_id}/plug/state`, 'ON', { qos: 0 }), {
        level: 4
      })
      for (const response_topic of ['plug/state', `${client_id}/plug/state`]) {
        for (const topic of ['set/plug', `${client_id}/set/plug`]) {
          const { status, json } = await send({ topic, payload: 'ON', response_topic, qos: 0 })
          assert.equal(status, 200)
          const { payload, topic: from } = json as Record<string, unknown>
          assert.deepEqual([payload, from], ['ON', `${client_id}/plug/state`])
        }
      }
    })

    test('the answer may be a value, which is stored as every value', async (t) => {
      const { device, send, client_id, stored } = await withDevices(t)
      await device(
        (_, { mqtt }) => mqtt.publish(`${client_id}/obj/lamp`, '{"value":1}', { qos: 1 }),
        { level: 4 }
      )
      const { status, json } = await send({ topic: 'set/obj/lamp', response_topic: 'obj/lamp' })
      assert.equal(status, 200)
      assert.equal((json as { payload: string }).payload, '{"value":1}')
      await eventually(async () => assert.equal((await stored()).length, 1))
    })

    test('an answer that is no UTF-8 comes as base64, an empty one as empty text', async (t) => {
      const { device, send } = await withDevices(t)
      const bytes = Buffer.from([0, 255, 254, 1])
      await device((sent, client) =>
        answerBack(sent, client, sent.payload === 'bytes' ? bytes : '')
      )
      const asked = await send({ topic: 'set/x', payload: 'bytes' })
      const { payload_base64, payload } = asked.json as Record<string, string>
      assert.equal(payload, undefined)
      assert.deepEqual(Buffer.from(payload_base64 ?? '', 'base64'), bytes)
      const empty = await send({ topic: 'set/x' })
      assert.equal((empty.json as { payload: string }).payload, '')
    })

    test('without an answer it is 504 after the time, and a later answer is for nobody', async (t) => {
      const { device, send, deps, refused } = await withDevices(t)
      const { got, mqtt } = await device(() => {})
      const begun = performance.now()
      const { status, json } = await send({ topic: 'set/x', timeout: 0.3 })
      assert.equal(status, 504)
      assert.deepEqual(json, { message: 'No answer within 0.3 s' })
      assert(performance.now() - begun >= 290)
      assert.equal(deps.commands.waiting, 0)
      const { responseTopic = '' } = got[0]?.properties ?? {}
      await mqtt.publishAsync(responseTopic, 'late', { qos: 1 })
      assert.deepEqual(await refused(), [])
    })

    test('a command for nobody is 504 as well, and nobody gets it later', async (t) => {
      const { device, send } = await withDevices(t)
      assert.equal((await send({ topic: 'set/x', timeout: 0.2 })).status, 504)
      const { got } = await device((sent, client) => answerBack(sent, client, 'now'))
      assert.equal((await send({ topic: 'set/x' })).status, 200)
      assert.equal(got.length, 1)
    })

    test('when the caller hangs up the waiting ends', async (t) => {
      const { device, id, user, url, deps, traced } = await withDevices(t)
      const { got } = await device(() => {})
      const hangUp = new AbortController()
      const asked = fetch(`${url}/api/v2/command/${id}`, {
        method: 'POST',
        headers: { 'x-api-key': user.token },
        body: JSON.stringify({ topic: 'set/x', timeout: 60 }),
        signal: hangUp.signal
      })
      await eventually(() => assert.equal(got.length, 1))
      assert.equal(deps.commands.waiting, 1)
      hangUp.abort()
      await assert.rejects(asked)
      await eventually(() => assert.equal(deps.commands.waiting, 0))
      await eventually(async () => {
        const [entry] = await traced()
        assert.match(
          entry?.description ?? '',
          /^sent a command on .*, not answered after \d+\.\d{3} s, to/
        )
      })
    })

    test('many commands at once get their own answers, in whatever order they come', async (t) => {
      const { device, send } = await withDevices(t)
      const held: (() => void)[] = []
      await device((sent, client) => {
        held.push(() => answerBack(sent, client, `for ${sent.payload}`))
        if (held.length === 10) for (const go of held.reverse()) go()
      })
      const asked = await Promise.all(
        Array.from({ length: 10 }, (_, i) => send({ topic: 'set/x', payload: `${i}` }))
      )
      assert.deepEqual(
        asked.map(({ json }) => (json as { payload: string }).payload),
        Array.from({ length: 10 }, (_, i) => `for ${i}`)
      )
    })

    test(
      'on one named topic, correlation data decides, and without it who came first',
      slow,
      async (t) => {
        const { device, send, client_id } = await withDevices(t)
        let held: (() => void)[] = []
        await device((sent, client) => {
          held.push(() => {
            if (sent.topic.endsWith('five')) answerBack(sent, client, sent.payload)
            else client.mqtt.publish(`${client_id}/out`, sent.payload, { qos: 1 })
          })
        })
        const pair = async (topic: string, isReversed: boolean) => {
          held = []
          const first = send({ topic, payload: 'a', response_topic: 'out' })
          await eventually(() => assert.equal(held.length, 1))
          const second = send({ topic, payload: 'b', response_topic: 'out' })
          await eventually(() => assert.equal(held.length, 2))
          for (const go of isReversed ? held.reverse() : held) go()
          const answers = await Promise.all([first, second])
          return answers.map(({ json }) => (json as { payload: string }).payload)
        }
        assert.deepEqual(await pair('set/five', true), ['a', 'b'])
        assert.deepEqual(await pair('set/three', false), ['a', 'b'])
      }
    )

    test('an answer elsewhere, or with other correlation data, is not taken', async (t) => {
      const { device, send, client_id } = await withDevices(t)
      await device((sent, client) => {
        const { responseTopic = '' } = sent.properties
        const { mqtt } = client
        mqtt.publish(`${responseTopic}/x`, 'below', { qos: 1 })
        mqtt.publish(`${client_id}/answer/else`, 'beside', { qos: 1 })
        const other = { correlationData: Buffer.from('other') }
        mqtt.publish(responseTopic, 'other', { qos: 1, properties: other })
        if (sent.payload === 'right') mqtt.publish(responseTopic, 'right', { qos: 1 })
      })
      assert.equal((await send({ topic: 'set/x', timeout: 0.4 })).status, 504)
      const { json } = await send({ topic: 'set/x', payload: 'right' })
      assert.equal((json as { payload: string }).payload, 'right')
    })

    test('what was on the topic before the command is no answer', async (t) => {
      const { device, send, client_id } = await withDevices(t)
      const { mqtt } = await device(() => {})
      await mqtt.publishAsync(`${client_id}/state`, 'old', { qos: 1, retain: true })
      const body = { topic: 'set/x', response_topic: 'state', timeout: 0.4 }
      assert.equal((await send(body)).status, 504)
    })

    test('an answer that comes with the command itself is never lost', async (t) => {
      const { device, send } = await withDevices(t)
      await device((sent, client) => answerBack(sent, client, sent.payload))
      for (let i = 0; i < 50; i++) {
        const { json } = await send({ topic: 'set/x', payload: `${i}`, timeout: 5 })
        assert.deepEqual((json as { payload?: string }).payload, `${i}`)
      }
    })

    test('the trace has who sent it, where, and whether it was answered, but no payload', async (t) => {
      const { device, send, traced, client_id, id, user } = await withDevices(t)
      await device((sent, client) => sent.payload === 'secret' && answerBack(sent, client, 'key'))
      await send({ topic: 'set/x', payload: 'secret' })
      await send({ topic: 'set/x', timeout: 0.2 })
      const [unanswered, answered] = await traced()
      assert.match(
        answered?.description ?? '',
        new RegExp(
          `^sent a command on ${client_id}/set/x, answered after \\d\\.\\d{3} s, to installation ${id}$`
        )
      )
      assert.match(
        unanswered?.description ?? '',
        new RegExp(
          `^sent a command on ${client_id}/set/x, not answered after 0\\.\\d{3} s, to installation ${id}$`
        )
      )
      assert.equal(answered?.user_id, user.id)
      assert.equal(answered?.path, `/api/v2/command/${id}`)
    })

    test('mappings translate commands, and their values are answers', async (t) => {
      const { world, id, client_id, device, send, stored } = await withDevices(t)
      await world.request(`POST /api/v2/mapping/${id}`, {
        as: world.admin,
        body: { make: 'tasmota' }
      })
      const { got } = await device(
        ({ topic, payload }, { mqtt }) => {
          if (topic.endsWith('/cmnd/plug/POWER')) {
            mqtt.publish(`${client_id}/dev/stat/plug/POWER`, payload === '1' ? 'ON' : payload)
          }
        },
        { level: 4, filter: 'dev/cmnd/#' }
      )
      // An external broker is asked for more messages in the background.
      await eventually(async () => {
        const { status, json } = await send({
          topic: 'set/obj/dev/tasmota/plug/POWER',
          payload: { value: 1 },
          response_topic: 'obj/dev/tasmota/plug/POWER',
          timeout: 2
        })
        assert.equal(status, 200)
        assert.equal(JSON.parse((json as { payload: string }).payload).value, 1)
      })
      assert(got.length >= 1)
      await eventually(async () => assert((await stored()).length >= 1))
    })

    test('a mapping of everything does not read answers', async (t) => {
      const { world, id, device, send, stored, refused } = await withDevices(t)
      await world.request(`POST /api/v2/mapping/${id}`, {
        as: world.admin,
        body: { filter: '#', values: [{ topic: 'obj/all' }] }
      })
      await device((sent, client) => answerBack(sent, client, '5'))
      assert.equal((await send({ topic: 'set/x' })).status, 200)
      await wait(100)
      assert.deepEqual(await stored(), [])
      assert.deepEqual(await refused(), [])
    })

    test('when the platform stops, commands that wait are ended with 503', async (t) => {
      const { device, id, user, url, stop, deps } = await withCommands(t, bus)
      const { got } = await device(() => {})
      const asked = fetch(`${url}/api/v2/command/${id}`, {
        method: 'POST',
        headers: { 'x-api-key': user.token },
        body: JSON.stringify({ topic: 'set/x', timeout: 60 })
      })
      await eventually(() => assert.equal(got.length, 1))
      const begun = performance.now()
      const [answer] = await Promise.all([asked, stop()])
      assert.equal(answer.status, 503)
      assert.deepEqual(await answer.json(), { message: 'The server stops' })
      assert.equal(deps.commands.waiting, 0)
      assert(performance.now() - begun < 10_000)
    })
  })
}
