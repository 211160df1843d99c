import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { lightClient } from '../support/light-client.ts'
import { connectPacket, mqttClient, packet, publishPacket, rawClient } from '../support/mqtt.ts'
import { slow } from '../support/rounds.ts'

const REFUSED = 128
const MIB = 1024 * 1024

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
test('a topic or filter with more than 64 levels or 1 024 bytes is refused with an answer', async (t) => {
  const { port, refused, handled, bus } = await startBus(t)
  const client = await mqttClient(t, port, { username: 'anna' })
  const neighbour = await mqttClient(t, port, { username: 'bert' })
  await neighbour.subscribe('#')
  const longest = `1/${'é'.repeat(511)}`
  const deepest = numbers(64).join('/')
  const tooLong = [`${longest}e`, `${deepest}/64`, numbers(1000).join('/'), '/'.repeat(9000)]

  assert.deepEqual(await client.subscribe([longest, deepest]), [1, 1])
  for (const filter of tooLong) assert.deepEqual(await client.subscribe([filter]), [REFUSED])
  for (const topic of tooLong) await client.publish(topic, 'x', { qos: 1, retain: true })
  await client.mqtt.unsubscribeAsync(tooLong)
  for (const topic of [longest, deepest]) await client.publish(topic, 'fits', { qos: 1 })

  await eventually(() => assert.deepEqual(neighbour.payloads(), ['fits', 'fits']))
  assert.deepEqual(
    refused,
    tooLong.map((topic) => `anna ${topic} x`)
  )
  assert.equal(handled.length, 2)
  assert.deepEqual([bus.counts.dropped.forbidden, (await bus.state()).retained], [4, 0])
})

test('a will with a topic that is too long is refused when it would be sent', async (t) => {
  const { port, refused } = await startBus(t)
  const topic = numbers(100).join('/')
  const will = { topic, payload: Buffer.from('gone'), qos: 0 as const, retain: false }
  const client = await mqttClient(t, port, { username: 'anna', will })
  client.mqtt.stream.destroy()
  await eventually(() => assert.deepEqual(refused, [`anna ${topic} gone`]))
})

test('filters above the limits of a SUBSCRIBE, a connection and an owner are refused', async (t) => {
  const limits = { filtersPerSubscribe: 3, filtersPerConnection: 5, filtersPerOwner: 8 }
  const { bus, port } = await startBus(t, { limits })
  const all = numbers(9).map((n) => `1/${n}`)
  for (const clean of [true, false]) {
    const username = clean ? 'anna' : 'kate'
    const connectAs = (clientId: string) => mqttClient(t, port, { username, clientId, clean })
    const first = await connectAs(`first of ${username}`)
    assert.deepEqual(await first.subscribe(all.slice(0, 4)), [1, 1, 1, REFUSED])
    assert.deepEqual(await first.subscribe(all.slice(3, 6)), [1, 1, REFUSED])
    // A client may subscribe to the same filter again, also with another QoS.
    assert.deepEqual(await first.subscribe(all.slice(0, 3), 0), [0, 0, 0])
    const second = await connectAs(`second of ${username}`)
    assert.deepEqual(await second.subscribe(all.slice(0, 3)), [1, 1, 1])
    assert.deepEqual(await second.subscribe(all.slice(5)), [REFUSED, REFUSED, REFUSED, REFUSED])
    await first.mqtt.unsubscribeAsync('1/0')
    assert.deepEqual(await second.subscribe('1/8'), [1])
    if (clean) await first.mqtt.endAsync()
    else await first.mqtt.unsubscribeAsync(all.slice(1, 5))
    await eventually(async () => assert.deepEqual(await second.subscribe('1/7'), [1]))
  }
  assert.ok(bus.counts.refused.filters > 10)
  const neighbour = await mqttClient(t, port, { username: 'bert' })
  assert.deepEqual(await neighbour.subscribe(all.slice(0, 3)), [1, 1, 1])
})

test('connections and kept sessions above the limits of an owner are refused with code 3', async (t) => {
  const limits = { connectionsPerOwner: 3, sessionsPerOwner: 2 }
  const { bus, port } = await startBus(t, { limits })
  const connectAs = (clientId: string, clean = true, username = 'anna') =>
    mqttClient(t, port, { username, clientId, clean })
  const [first] = [await connectAs('1'), await connectAs('2'), await connectAs('3')]
  await assert.rejects(connectAs('4'), { code: 3 })
  // A connection that takes over another one does not count twice.
  await connectAs('3')
  await connectAs('of bert', true, 'bert')
  await first.mqtt.endAsync()
  await eventually(() => connectAs('4'))
  assert.ok(bus.counts.refused.connections > 0)

  for (const id of ['kept 1', 'kept 2']) await (await connectAs(id, false, 'kate')).mqtt.endAsync()
  await assert.rejects(connectAs('kept 3', false, 'kate'), { code: 3 })
  await connectAs('kept 2', false, 'kate')
  await connectAs('kept of bert', false, 'bert')
  assert.equal(bus.counts.refused.sessions, 1)
})

test('connections and filters above a quota that several owners share are refused', async (t) => {
  const told: object[] = []
  const warn = (fields: object) => void told.push(fields)
  const { bus, port } = await startBus(t, { quota: 3, warn })
  const connectAs = (username: string, clientId: string, clean = true) =>
    mqttClient(t, port, { username, clientId, clean })
  const first = await connectAs('anna@site', '1')
  await connectAs('bert@site', '2')
  const kept = await connectAs('carl@site', '3', false)
  await assert.rejects(connectAs('dora@site', '4'), { code: 3 })
  assert.equal(bus.counts.refused.connections, 1)
  assert.equal((told[0] as { quota: string }).quota, 'site')
  // It takes over. Others have their own quota.
  const again = await connectAs('bert@site', '2')
  await connectAs('dora@elsewhere', '4')
  assert.equal(bus.charged('connections', 'site'), 3)

  assert.deepEqual(await first.subscribe(['1/a', '1/b']), [1, 1])
  assert.deepEqual(await kept.subscribe(['1/a', '1/b']), [1, REFUSED])
  assert.deepEqual(await again.subscribe(['1/a']), [REFUSED])
  await first.mqtt.endAsync()
  await eventually(() => assert.equal(bus.charged('filters', 'site'), 1))
  assert.deepEqual(await again.subscribe(['1/a', '1/b', '1/c']), [1, 1, REFUSED])
  // Filters of a kept session are charged while it is offline, and not twice when it comes back.
  await kept.mqtt.endAsync()
  await eventually(() => assert.equal(bus.charged('connections', 'site'), 1))
  assert.equal(bus.charged('filters', 'site'), 3)
  await connectAs('carl@site', '3', false)
  assert.equal(bus.charged('filters', 'site'), 3)
  await connectAs('carl@site', '3')
  assert.equal(bus.charged('filters', 'site'), 2)
})

test('connections that have not signed in are limited per address', async (t) => {
  const told: object[] = []
  const warn = (fields: object) => void told.push(fields)
  const limits = { newcomers: { inAll: 10, perAddress: 3 }, connectTimeoutMs: 500 }
  const { bus, port } = await startBus(t, { limits, warn })
  for (const n of numbers(5)) await mqttClient(t, port, { username: `user ${n}` })
  const silent = await Promise.all(numbers(3).map(() => rawClient(t, port)))
  await assert.rejects(mqttClient(t, port))
  assert.equal(bus.counts.refused.newcomers, 1)
  assert.deepEqual(told, [{ address: '127.0.0.1' }])
  silent[0]?.send(connectPacket({}))
  await eventually(() => mqttClient(t, port))
  await eventually(() => assert(silent[1]?.isClosed() && silent[2]?.isClosed()))
  await mqttClient(t, port)
})

test('an older file above the limits is cut down at the start', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'caracal-bus-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const wide = { sessionsPerOwner: 100, filtersPerConnection: 100, filtersPerOwner: 1000 }
  const before = await startBus(t, { dataDir, limits: wide })
  for (const id of numbers(6)) {
    const client = await mqttClient(t, before.port, {
      ...{ clientId: `kept ${id}`, username: 'anna', clean: false }
    })
    await client.subscribe(numbers(6).map((n) => `1/${id}/${n}`))
    await client.mqtt.endAsync()
    // Used one after the other.
    await before.bus.state()
    await wait(5)
  }
  const neighbour = { clientId: 'of bert', username: 'bert', clean: false }
  await (await mqttClient(t, before.port, neighbour)).subscribe('1/#')
  await before.bus.close()
  const db = new DatabaseSync(join(dataDir, 'mqtt.sqlite'))
  const long = numbers(65).join('/')
  db.prepare('insert into filters select key, ?, 1, null, null, null from sessions').run(long)
  db.prepare('insert into retained values (?, ?, 0)').run(`1/${'é'.repeat(600)}`, Buffer.from('x'))
  db.prepare("insert into wills values ('w', '', ?, ?, 0, 0)").run(long, Buffer.from('x'))
  db.close()

  const told: object[] = []
  const narrow = { sessionsPerOwner: 4, filtersPerConnection: 5, filtersPerOwner: 12 }
  const warn = (fields: object) => void told.push(fields)
  const after = await startBus(t, { dataDir, limits: narrow, warn })
  // Seven filters that are too long, one of each kept session, and those of the least used sessions.
  assert.deepEqual(told, [{ sessions: 2, filters: 7 + 4 + 8, retained: 1, wills: 1 }])
  assert.deepEqual(await after.bus.state(), { sessions: 5, retained: 0, queued: 0, bytes: 0 })
  const sender = await mqttClient(t, after.port)
  for (const id of numbers(6)) await sender.publish(`1/${id}/0`, 'x', { qos: 1 })
  const back = await mqttClient(t, after.port, neighbour)
  await eventually(() => assert.equal(back.messages.length, 6))
})

test(
  'messages that are read but not stored are limited, and a flood of one owner does not stop others',
  slow,
  async (t) => {
    let stored = 0
    let inHandler = 0
    let most = 0
    const isOpen = Promise.withResolvers<void>()
    const { port } = await startBus(t, {
      limits: { inFlightBytes: 4 * MIB, inFlightBytesPerTenant: 2 * MIB },
      handle: async ({ payload }, sender) => {
        if (sender !== 'flood') return
        inHandler += payload.length
        most = Math.max(most, inHandler)
        await isOpen.promise
        inHandler -= payload.length
        stored++
      }
    })
    const floods = await Promise.all(
      numbers(10).map((n) =>
        lightClient(t, port, connectPacket({ id: `flood ${n}`, username: 'flood' }))
      )
    )
    const large = 'x'.repeat(MIB / 2)
    for (const { send } of floods) {
      for (const id of [1, 2]) send(publishPacket('1/obj/a', large, { qos: 1, id }))
      send(packet(0xe0))
    }
    await eventually(() => assert.ok(inHandler > MIB))
    const neighbour = await mqttClient(t, port, { username: 'bert' })
    for (const n of numbers(20)) await neighbour.publish('2/obj/a', `${n}`, { qos: 1 })
    await wait(200)
    assert.ok(most <= 2 * MIB, `${most} bytes at once`)
    assert.equal(stored, 0)
    isOpen.resolve()
    await eventually(() => assert.equal(stored, 20))
    assert.ok(most <= 2 * MIB, `${most} bytes at once`)
  }
)

test(
  'messages for 3 000 offline sessions do not delay the acknowledgements of others',
  slow,
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'caracal-bus-'))
    t.after(() => rm(dataDir, { recursive: true }))
    await (await startBus(t, { dataDir })).bus.close()
    const db = new DatabaseSync(join(dataDir, 'mqtt.sqlite'))
    db.exec('begin')
    const session = db.prepare('insert into sessions values (?, ?, ?, ?, 0, 0, 0)')
    const filter = db.prepare("insert into filters values (?, '1/#', 1, null, null, null)")
    for (const key of numbers(3000)) {
      session.run(key + 1, `resting ${key}`, `anna-${key % 3}`, Date.now())
      filter.run(key + 1)
    }
    db.exec('commit')
    db.close()
    const { port, bus } = await startBus(t, { dataDir })
    const receiver = await mqttClient(t, port, { clientId: 'kept', username: 'bert', clean: false })
    await receiver.subscribe('2/#')
    const neighbour = await mqttClient(t, port, { username: 'bert' })
    const flood = await mqttClient(t, port, { username: 'anna-0' })
    let acknowledged = 0
    const flooding = numbers(100).map(async (n) => {
      await flood.publish('1/t', `${n}`, { qos: 1 })
      acknowledged++
    })
    const acknowledgedBefore: number[] = []
    for (const n of numbers(5)) {
      await neighbour.publish('2/t', `${n}`, { qos: 1 })
      acknowledgedBefore.push(acknowledged)
    }
    // It comes between the groups of the flood, not after it.
    assert.ok((acknowledgedBefore.at(-1) ?? 100) < 50, acknowledgedBefore.join())
    await Promise.all(flooding)
    assert.deepEqual(receiver.payloads(), ['0', '1', '2', '3', '4'])
    assert.equal((await bus.state()).queued, 300_000)
  }
)
