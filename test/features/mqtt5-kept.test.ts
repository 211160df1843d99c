import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { unixMs } from '../../src/lib/unix-time.ts'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { packet } from '../support/mqtt.ts'
import { client5, connectBytes5, lengthed, publish5, subscribe5 } from '../support/mqtt5.ts'
import { slow } from '../support/rounds.ts'

/** Whose wills are on disk. */
async function wills(dataDir: string): Promise<string[]> {
  const [file = ''] = (await readdir(dataDir)).filter((name) => name.endsWith('.sqlite'))
  const db = new DatabaseSync(join(dataDir, file), { readOnly: true })
  const rows = db.prepare('select payload from wills').all()
  db.close()
  return rows.map(({ payload }) => Buffer.from(payload as Uint8Array).toString()).sort()
}

/** A copy of the files while the broker runs is what kill -9 leaves. */
async function killed(t: TestContext, dataDir: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'caracal-bus-'))
  t.after(() => rm(copy, { recursive: true }))
  await cp(dataDir, copy, { recursive: true })
  return copy
}

test('sessions, queues, retained messages and identifiers of MQTT 5 survive kill -9', async (t) => {
  let now = unixMs(1_800_000_000_000)
  const clock = () => now
  const first = await startBus(t, { clock })
  const kept = { clientId: 'kept', clean: false, properties: { sessionExpiryInterval: 100 } }
  const before = await client5(t, first.port, kept)
  before.send(subscribe5(1, '1/#', { subscriptionIdentifier: 4, rap: true }))
  before.send(subscribe5(2, '1/+', { subscriptionIdentifier: 5 }))
  await before.next('suback', 2)
  const sender = await client5(t, first.port)
  const properties = {
    ...{ contentType: 'text/plain', responseTopic: '1/answer', messageExpiryInterval: 50 },
    ...{ correlationData: Buffer.from([0, 1]), userProperties: { a: ['1', '2'], b: '3' } },
    payloadFormatIndicator: true
  }
  sender.send(publish5('1/t', 'x', { qos: 1, id: 1, retain: true, properties }))
  await sender.next('puback')
  await before.next('publish')

  const dataDir = await killed(t, first.dataDir)
  now = unixMs(now + 10_000)
  const second = await startBus(t, { dataDir, clock })
  const back = await client5(t, second.port, kept)
  assert.equal((await back.next('connack')).sessionPresent, true)
  const again = await back.next('publish')
  const { subscriptionIdentifier, messageExpiryInterval, ...passed } = again.properties ?? {}
  const { messageExpiryInterval: _, ...sent } = properties
  assert.deepEqual({ ...passed, userProperties: { ...passed.userProperties } }, sent)
  assert.deepEqual([subscriptionIdentifier, messageExpiryInterval], [[4, 5], 40])
  assert.deepEqual([again.dup, again.retain], [true, true])

  const late = await client5(t, second.port)
  late.send(subscribe5(1, '1/#', { qos: 0 }))
  const retained = await late.next('publish')
  assert.equal(retained.properties?.messageExpiryInterval, 40)
  assert.equal(retained.properties?.contentType, 'text/plain')

  // The expiry of a session counts from its last connection.
  back.socket.destroy()
  await eventually(() => assert.equal(second.bus.counts.connections, 1))
  const third = await startBus(t, { dataDir: await killed(t, dataDir), clock })
  now = unixMs(now + 101_000)
  const tooLate = await client5(t, third.port, kept)
  assert.equal((await tooLate.next('connack')).sessionPresent, false)
})

test('[MQTT-3.1.2-8] [MQTT-3.1.3-9] a will waits for its delay, and is not sent if the client comes back', async (t) => {
  const { port, bus } = await startBus(t)
  const watcher = await client5(t, port)
  watcher.send(subscribe5(1, '1/#'))
  await watcher.next('suback')
  const will = (delay: number) => ({
    ...{ topic: '1/will', payload: Buffer.from(`after ${delay}`), qos: 1 as const, retain: false },
    properties: { willDelayInterval: delay, contentType: 'text/plain', userProperties: { a: '1' } }
  })
  const device = (delay: number, sessionExpiryInterval: number, clean = false) =>
    client5(t, port, {
      ...{ clientId: 'one', clean, will: will(delay) },
      properties: { sessionExpiryInterval }
    })
  const lost = await device(2, 100)
  await lost.next('connack')
  lost.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 1))
  const back = await device(1, 100)
  await back.next('connack')
  back.socket.destroy()
  const { payload, properties } = await watcher.next('publish')
  assert.equal(String(payload), 'after 1', 'the will of the first connection was not sent')
  assert.equal(properties?.contentType, 'text/plain')
  assert.deepEqual({ ...properties?.userProperties }, { a: '1' })
  assert.equal('willDelayInterval' in (properties ?? {}), false)

  // The session ends first.
  const short = await device(1000, 0)
  await short.next('connack')
  short.socket.destroy()
  assert.equal(String((await watcher.next('publish', 2)).payload), 'after 1000')
  const replaced = await device(500, 100)
  await replaced.next('connack')
  replaced.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 1))
  await (await device(0, 100, true)).next('connack')
  assert.equal(String((await watcher.next('publish', 3)).payload), 'after 500', 'a clean start')
})

test('a will with a delay is not sent if its credential has ended in the meantime', async (t) => {
  const { port, bus, ended, handled } = await startBus(t)
  const will = (topic: string) => ({
    ...{ topic, payload: Buffer.from('x'), qos: 1 as const, retain: false },
    properties: { willDelayInterval: 1 }
  })
  const properties = { sessionExpiryInterval: 100 }
  for (const username of ['anna', 'bert']) {
    const client = await client5(t, port, { username, will: will(`1/${username}`), properties })
    await client.next('connack')
    client.socket.destroy()
  }
  await eventually(() => assert.equal(bus.counts.connections, 0))
  ended.add('anna')
  await eventually(() => assert.deepEqual(handled, ['bert 1/bert x']))
})

test('[MQTT-3.14.4-3] [MQTT-3.1.2-10] DISCONNECT without an error discards the will, and 0x04 sends it', async (t) => {
  const { port } = await startBus(t)
  const watcher = await client5(t, port)
  watcher.send(subscribe5(1, '1/#'))
  await watcher.next('suback')
  for (const reasonCode of [0, 4]) {
    const will = { topic: '1/will', payload: Buffer.from(`${reasonCode}`), qos: 0 as const }
    const client = await client5(t, port, { will: { ...will, retain: false } })
    await client.next('connack')
    client.send({ cmd: 'disconnect', reasonCode })
    await eventually(() => assert.ok(client.isClosed()))
  }
  assert.equal(String((await watcher.next('publish')).payload), '4')
})

test('[MQTT-3.1.2-7] a will with a delay survives kill -9, and is sent if the client does not come back', async (t) => {
  const first = await startBus(t)
  const device = (port: number, clientId: string, willDelayInterval: number) =>
    client5(t, port, {
      ...{ clientId, clean: false },
      will: {
        ...{ topic: '1/will', payload: Buffer.from(clientId), qos: 1, retain: false },
        properties: { willDelayInterval, contentType: 'text/plain' }
      },
      properties: { sessionExpiryInterval: 100 }
    })
  await (await device(first.port, 'lost', 1)).next('connack')
  await (await device(first.port, 'back', 60)).next('connack')
  const dataDir = await killed(t, first.dataDir)
  const second = await startBus(t, { dataDir })
  const watcher = await client5(t, second.port)
  watcher.send(subscribe5(1, '1/#'))
  const back = await device(second.port, 'back', 60)
  assert.equal((await back.next('connack')).sessionPresent, true)
  const { payload, properties } = await watcher.next('publish')
  assert.deepEqual([String(payload), properties?.contentType], ['lost', 'text/plain'])
  watcher.send(packet(0xc0))
  await watcher.next('pingresp')
  assert.equal(watcher.all('publish').length, 1)
})

test('[MQTT-4.4.0-1] messages without an acknowledgement come again with their packet ids', async (t) => {
  const { port } = await startBus(t)
  const kept = { clientId: 'kept', clean: false, properties: { sessionExpiryInterval: 1000 } }
  for (const isReplaced of [false, true]) {
    const before = await client5(t, port, kept)
    before.send(subscribe5(1, '1/#', { qos: 2 }))
    before.send(publish5('1/a', '', { qos: 1, id: 1 }), publish5('1/b', '', { qos: 2, id: 2 }))
    const ids = [await before.next('publish', 1), await before.next('publish', 2)]
    if (!isReplaced) before.send({ cmd: 'disconnect', reasonCode: 0 })
    const after = await client5(t, port, kept)
    assert.equal((await after.next('connack')).sessionPresent, true)
    await after.next('publish', 2)
    assert.deepEqual(
      after.all('publish').map(({ topic, messageId, dup }) => [topic, messageId, dup]),
      ids.map(({ topic, messageId }) => [topic, messageId, true])
    )
    after.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 0 } })
    await eventually(() => assert.ok(after.isClosed()))
  }
})

test('a session that has no expiry any more ends also when another connection takes over', async (t) => {
  const { port } = await startBus(t)
  const session = (sessionExpiryInterval: number) =>
    client5(t, port, { clientId: 'one', clean: false, properties: { sessionExpiryInterval } })
  await (await session(100)).next('connack')
  assert.equal((await (await session(0)).next('connack')).sessionPresent, true)
  assert.equal((await (await session(100)).next('connack')).sessionPresent, false)
})

test('[MQTT-3.1.2-14] [MQTT-3.1.2-15] [MQTT-3.1.3-10] a will is retained if it asks for it, and its user properties keep their order', async (t) => {
  const { port, bus } = await startBus(t)
  const watcher = await client5(t, port)
  watcher.send(subscribe5(1, '1/#', { qos: 0, rap: true }))
  await watcher.next('suback')
  const received: Buffer[] = []
  watcher.socket.on('data', (bytes) => received.push(bytes))
  const pairs = ['b=1', 'a=2', 'b=3'].map((pair) =>
    Buffer.concat([Buffer.from([0x26]), ...pair.split('=').map(lengthed)])
  )
  const properties = Buffer.concat(pairs)
  for (const retain of [false, true]) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    const will = [Buffer.from([properties.length]), properties, lengthed('1/will'), lengthed('x')]
    socket.write(connectBytes5(retain ? 0xa6 : 0x86, [lengthed('one'), ...will, lengthed('anna')]))
    await once(socket, 'data')
    socket.destroy()
    const sent = await watcher.next('publish', retain ? 2 : 1)
    assert.equal(sent.retain, retain)
    await eventually(() => assert.equal(bus.counts.connections, 1))
    assert.equal((await bus.state()).retained, retain ? 1 : 0)
  }
  const hex = Buffer.concat(received).toString('hex')
  assert.equal(hex.split(properties.toString('hex')).length - 1, 2)
})

test(
  'a will that waits is sent when it is due, also if the broker was killed in the meantime',
  slow,
  async (t) => {
    const begin = unixMs(1_800_000_000_000)
    let now = begin
    const clock = () => now
    const first = await startBus(t, { clock })
    const device = (port: number, clientId: string, sessionExpiryInterval = 1000) =>
      client5(t, port, {
        ...{ clientId, clean: false, properties: { sessionExpiryInterval } },
        will: {
          ...{ topic: '1/will', payload: Buffer.from(clientId), qos: 1, retain: false },
          properties: { willDelayInterval: 100 }
        }
      })
    for (const id of ['lost', 'back']) {
      const client = await device(first.port, id)
      await client.next('connack')
      client.socket.destroy()
    }
    // Its session ends with the process, and with it the delay.
    await (await device(first.port, 'no session', 0)).next('connack')
    await eventually(() => assert.equal(first.bus.counts.connections, 1))
    await first.bus.state()
    const dataDir = await killed(t, first.dataDir)
    const after = async (ms: number) => {
      now = unixMs(begin + ms)
      return startBus(t, { dataDir: await killed(t, dataDir), clock })
    }
    const due = await after(100_000)
    await eventually(() =>
      assert.deepEqual(
        due.handled.sort(),
        ['back', 'lost', 'no session'].map((id) => `anna 1/will ${id}`)
      )
    )
    const early = await after(99_000)
    await (await device(early.port, 'back')).next('connack')
    assert.deepEqual(early.handled, ['anna 1/will no session'])
    await eventually(() => assert.equal(early.handled[1], 'anna 1/will lost'))
    // A second kill does not begin the delay again.
    const second = await after(50_000)
    await eventually(async () => {
      assert.equal(second.handled.length, 1)
      assert.deepEqual(await wills(second.dataDir), ['back', 'lost'])
    })
    now = unixMs(begin + 100_000)
    const third = await startBus(t, { dataDir: await killed(t, second.dataDir), clock })
    await eventually(() => assert.equal(third.handled.length, 2))
  }
)
