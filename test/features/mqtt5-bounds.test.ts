import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { generate, type Packet } from 'mqtt-packet'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { longestRound } from '../support/loop.ts'
import { packet } from '../support/mqtt.ts'
import { connectBytes5, lengthed, publish5, subscribe5 } from '../support/mqtt5.ts'

/** Limit of processor time for the broker and the test clients, which share a thread. */
const LONGEST_ROUND_MS = 20
const [CLEAN, WILL, USER] = [0x02, 0x04, 0x80]

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const bytesOf = (sent: Packet): Buffer => generate(sent, { protocolVersion: 5 })
const length = (bytes: Buffer): Buffer =>
  Buffer.from([(bytes.length & 127) | 128, ((bytes.length >> 7) & 127) | 128, bytes.length >> 14])

/** As many user properties as a packet may have. */
const userProperties = Buffer.concat(numbers(4680).map(() => Buffer.from('26000161000162', 'hex')))
const kept = Buffer.from([0x11, 0, 0, 3, 232])

async function holds(work: (attempt: number) => Promise<void>): Promise<void> {
  const longest = await longestRound(LONGEST_ROUND_MS, work)
  assert.ok(longest < LONGEST_ROUND_MS, `${longest} ms in one round`)
}

/** Counts the bytes that come and ignores them, so that only the work of the broker is measured. */
async function light(t: TestContext, port: number, ...first: Buffer[]) {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  let received = 0
  socket.on('data', ({ length: bytes }) => {
    received += bytes
  })
  await once(socket, 'connect')
  socket.write(Buffer.concat(first))
  await once(socket, 'data')
  return {
    socket,
    received: () => received,
    send: (...packets: Buffer[]) => socket.write(Buffer.concat(packets))
  }
}

const connecting = (id: string, properties = Buffer.alloc(0)): Buffer =>
  connectBytes5(CLEAN | USER, [lengthed(id), lengthed('anna')], { properties })

test('filters with identifiers, options and groups at their limits', async (t) => {
  for (const properties of [Buffer.alloc(0), kept]) {
    const { bus, port } = await startBus(t)
    const clients = await Promise.all(
      numbers(20).map((n) => light(t, port, connecting(`c${n}`, properties)))
    )
    // All of them match one topic, and each has its own identifier.
    const filterOf = (n: number) => {
      const path = numbers(10).map((level) => ((n >> level) & 1 ? '+' : String(level)))
      return `1/${path.join('/')}`
    }
    const packets = numbers(5).map((part) =>
      numbers(200).map((i) => {
        const n = part * 200 + i
        const filter = n % 2 === 0 ? filterOf(n) : `$share/g${n % 400}/${filterOf(n)}`
        return bytesOf(
          subscribe5(n + 1, filter, { qos: 1, rap: true, subscriptionIdentifier: n + 1 })
        )
      })
    )
    let turn = 0
    await holds(async () => {
      const part = packets[turn % packets.length] ?? []
      turn++
      const before = clients.map(({ received }) => received())
      for (const { send } of clients) send(...part)
      await eventually(() => {
        for (const [i, { received }] of clients.entries()) {
          assert.ok(received() >= (before[i] ?? 0) + 200 * 6)
        }
      }, 60_000)
    })
    for (; turn < packets.length; turn++) {
      for (const { send } of clients) send(...(packets[turn] ?? []))
    }
    for (const { send } of clients) send(packet(0xc0))
    await eventually(async () => assert.equal(bus.counts.refused.filters, 0))
    const topic = `1/${numbers(10).join('/')}`
    await holds(async () => {
      const before = bus.counts.delivered
      for (let i = 0; i < 3; i++) await bus.publish(topic, 'x', { qos: 1 })
      await eventually(() => assert.ok(bus.counts.delivered >= before + 60), 60_000)
    })
    await bus.close()
  }
})

test('a shared group with thousands of members', async (t) => {
  const limits = { connectionsPerOwner: 5000, sessionsPerOwner: 5000 }
  const { bus, port } = await startBus(t, { limits })
  const subscribe = bytesOf(subscribe5(1, '$share/g/1/#', { qos: 1 }))
  const sockets: Awaited<ReturnType<typeof light>>[] = []
  for (let from = 0; from < 2000; from += 100) {
    const opened = numbers(100).map((n) =>
      light(t, port, connecting(`m${from + n}`, n % 2 === 0 ? kept : undefined), subscribe)
    )
    sockets.push(...(await Promise.all(opened)))
  }
  await eventually(() => assert.equal(bus.counts.connections, 2000), 60_000)
  await holds(async () => {
    const before = bus.counts.delivered
    for (let i = 0; i < 200; i++) await bus.publish('1/t', 'x', { qos: 1 })
    await eventually(() => assert.ok(bus.counts.delivered >= before + 200), 60_000)
  })
  await holds(async () => {
    for (let i = 0; i < 10; i++) {
      for (const { socket } of sockets.splice(0, 40)) socket.destroy()
      await nextRound()
    }
    await eventually(() => assert.equal(bus.counts.connections, sockets.length), 60_000)
  })
  for (const { socket } of sockets.splice(0)) socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 0), 60_000)
  // Now the kept sessions take turns.
  await holds(async () => {
    for (let i = 0; i < 200; i++) await bus.publish('1/t', 'x', { qos: 1 })
  })
})

test('user properties and topic aliases at their limits', async (t) => {
  const { bus, port, handled } = await startBus(t)
  const aliases = Buffer.from([0x22, 0, 32])
  const receivers = await Promise.all([
    light(t, port, connecting('r1', aliases)),
    light(t, port, connecting('r2', Buffer.concat([aliases, kept])))
  ])
  for (const { send } of receivers) send(bytesOf(subscribe5(1, '1/#', { qos: 1 })))
  const sender = await light(t, port, connecting('sender'))
  const large = numbers(100).map((n) => {
    const topic = lengthed(`1/${n % 40}`)
    const id = Buffer.from([0, n + 1])
    return packet(0x32, topic, id, length(userProperties), userProperties, Buffer.from('x'))
  })
  await holds(async () => {
    const before = handled.length
    for (const bytes of large) sender.send(bytes)
    await eventually(() => assert.equal(handled.length, before + 100), 60_000)
  })
  const small = numbers(5000).map((n) => {
    const properties = { topicAlias: (n % 32) + 1 }
    return bytesOf(publish5(n < 32 ? `1/${'a'.repeat(1000)}${n}` : '', 'x', { properties }))
  })
  await holds(async () => {
    const before = bus.counts.received
    sender.send(...small)
    await eventually(() => assert.equal(bus.counts.received, before + 5000), 60_000)
  })
  assert.equal(bus.counts.connections, 3)
})

test('wills with as many properties as they may have', async (t) => {
  const { bus, port, handled } = await startBus(t)
  const properties = [length(userProperties), userProperties]
  const open = (n: number) => {
    const will = [...properties, lengthed('1/will'), lengthed('x')]
    const fields = [lengthed(`w${n}`), ...will, lengthed('anna')]
    return light(t, port, connectBytes5(CLEAN | USER | WILL, fields, { properties: kept }))
  }
  await holds(async () => {
    const before = handled.length
    // Some at a time, because the test opens them in the same thread.
    for (let from = 0; from < 200; from += 20) {
      const clients = await Promise.all(numbers(20).map((n) => open(from + n)))
      for (const { socket } of clients) socket.destroy()
    }
    await eventually(() => assert.equal(handled.length, before + 200), 60_000)
    await eventually(() => assert.equal(bus.counts.connections, 0), 60_000)
  })
})
