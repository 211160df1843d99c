import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LastMessages } from '../../src/features/mapping/last-messages.ts'
import { SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { sqlite } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

type Shown = { topic: string; payload: string; timestamp: number }

describe('the newest messages of an installation', () => {
  const { platform } = withPlatform(sqlite)

  async function site(grants: string[]) {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const sender = await world.mqtt(world.admin)
    const send = (rest: string, payload: string) =>
      sender.publish(`${installation.client_id}/${rest}`, payload, { qos: 1 })
    const ask = () => world.request(`GET /api/v2/mapping/${installation.id}/message`, { as: user })
    return { world, installation, send, ask }
  }

  test('messages that a mapping may read, the newest first, also before there is a mapping', async () => {
    const { send, ask } = await site(['mqtt/subscribe/all'])
    await send('dev/tele/plug/SENSOR', '{"ENERGY":{"Power":42}}')
    await send('obj/temperature', '21')
    await send('set/lamp', '1')
    await send('evt/news', '{}')
    await send('dev/empty', '')
    await send('dev/bytes', '\u{1f600}')
    const { status, json } = await ask()
    assert.equal(status, 200)
    assert.deepEqual(
      (json as Shown[]).map(({ topic, payload }) => [topic, payload]),
      [
        ['dev/bytes', '\u{1f600}'],
        ['dev/tele/plug/SENSOR', '{"ENERGY":{"Power":42}}']
      ]
    )
    const [{ timestamp = 0 } = {}] = json as Shown[]
    assert(Math.abs(timestamp - Date.now() / 1000) < 600)
  })

  test('who may not subscribe does not see them, and nobody sees those of others', async () => {
    const { send, ask, world, installation } = await site(['mapping/#'])
    await send('dev/secret', '1')
    assert.equal((await ask()).status, 403)
    const other = await world.site(['mqtt/subscribe/all', 'mapping/#'])
    const line = `GET /api/v2/mapping/${installation.id}/message`
    assert.equal((await world.request(line, { as: other.user })).status, 403)
    assert.equal((await world.request(line)).status, 401)
  })

  test('they go with their installation', async () => {
    const { send, installation, world } = await site(['mqtt/subscribe/all'])
    await send('dev/secret', '1')
    const { lastMessages } = platform().deps
    assert.equal(lastMessages.of(installation.id).length, 1)
    await world.request(`DELETE /api/v2/installation/${installation.id}`, { as: world.admin })
    assert.deepEqual(lastMessages.of(installation.id), [])
  })
})

describe('the bounds of the newest messages', () => {
  const at = (seconds: number) => unixMs(1_700_000_000_000 + seconds * SECOND)
  const topics = (messages: LastMessages, id: number) => messages.of(id).map(({ topic }) => topic)

  test('the newest hundred topics of an installation stay', () => {
    const messages = new LastMessages()
    for (let i = 0; i < 150; i++) messages.keep(1, `7/dev/${i}`, Buffer.from('x'), at(i))
    assert.deepEqual(
      topics(messages, 1),
      Array.from({ length: 100 }, (_, i) => `dev/${149 - i}`)
    )
  })

  test('a topic counts once a second, and an installation with at most 20 topics', () => {
    const messages = new LastMessages()
    for (let i = 0; i < 1000; i++) messages.keep(1, '7/dev/busy', Buffer.from(`${i}`), at(0))
    for (let i = 0; i < 100; i++) messages.keep(1, `7/dev/${i}`, Buffer.from('x'), at(0))
    assert.equal(messages.of(1).length, 20)
    assert.equal(messages.of(1).at(-1)?.payload, '0')
    messages.keep(1, '7/dev/busy', Buffer.from('later'), at(1))
    assert.deepEqual(messages.of(1)[0], { topic: 'dev/busy', payload: 'later', timestamp: at(1) })
    messages.keep(2, '9/dev/x', Buffer.from('x'), at(0))
    assert.deepEqual(topics(messages, 2), ['dev/x'])
  })

  test('long messages are cut, and many installations have 8 MiB together', () => {
    const messages = new LastMessages()
    const payload = Buffer.alloc(100_000, 'x')
    for (let i = 0; i < 4000; i++) messages.keep(i, '7/dev/x', payload, at(0))
    assert.equal(messages.of(3999)[0]?.payload.length, 4096)
    assert.deepEqual(messages.of(0), [])
    assert(messages.bytes <= 8 * 1024 * 1024)
    assert(messages.bytes > 7 * 1024 * 1024)
    for (let i = 0; i < 4000; i++) messages.forget(i)
    assert.equal(messages.bytes, 0)
  })
})
