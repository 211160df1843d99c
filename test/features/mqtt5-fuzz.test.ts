import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { generate, type Packet } from 'mqtt-packet'
import { decode } from '../../src/bus/embedded/wire/decode.ts'
import { BadPacket } from '../../src/bus/embedded/wire/reasons.ts'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { connectPacket, mqttClient } from '../support/mqtt.ts'
import { publish5, subscribe5 } from '../support/mqtt5.ts'
import { rounds } from '../support/rounds.ts'

/** Packets for the reader alone, and packets that a broker gets over connections. */
const READ = rounds(1_000_000, 30_000)
const SENT = rounds(1_000_000, 10_000)
/** A connection ends with its first broken packet, and then the rest is only dropped. */
const PACKETS_PER_CONNECTION = 50
const AT_ONCE = 20
/** Repeats a run: `MQTT_FUZZ_SEED=1234`. */
const SEED = Number(process.env['MQTT_FUZZ_SEED'] ?? Date.now() >>> 0)
const MIB = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Numbers from 0 to below `limit`, the same for the same seed. */
function diceOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const samples: Packet[] = [
  {
    ...{ cmd: 'connect', clientId: 'x', username: 'anna', password: Buffer.from('x') },
    ...{ protocolId: 'MQTT', protocolVersion: 5, keepalive: 10 },
    properties: { sessionExpiryInterval: 5, userProperties: { a: ['1', '2'] } },
    will: { topic: 'w', payload: 'x', qos: 1, properties: { willDelayInterval: 3 } }
  },
  publish5('1/t', 'x', {
    ...{ qos: 1, id: 7 },
    properties: { contentType: 'a', topicAlias: 1, correlationData: Buffer.from('c') }
  }),
  subscribe5(1, ['1/#', '+/é', '$share/g/1'], { subscriptionIdentifier: 300 }),
  { cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['1/#', 'x'] },
  { cmd: 'puback', messageId: 1, reasonCode: 0x10, properties: { reasonString: 'x' } },
  { cmd: 'pubrel', messageId: 1, reasonCode: 0 },
  { cmd: 'disconnect', reasonCode: 4, properties: { sessionExpiryInterval: 5 } },
  { cmd: 'pingreq' }
]
const whole = [4, 5].flatMap((protocolVersion) =>
  samples.map((sample) =>
    generate({ ...sample, ...(sample.cmd === 'connect' && { protocolVersion }) } as Packet, {
      protocolVersion
    })
  )
)

/** A packet with some bytes changed, cut off, doubled or added. */
function broken(dice: (limit: number) => number): Buffer {
  const bytes = Buffer.from(whole[dice(whole.length)] ?? [])
  for (let changes = 1 + dice(4); changes > 0; changes--) bytes[dice(bytes.length)] = dice(256)
  const cut = bytes.subarray(0, dice(3) === 0 ? dice(bytes.length + 1) : bytes.length)
  return dice(5) === 0 ? Buffer.concat([cut, Buffer.from([dice(256), dice(256)])]) : cut
}

test('every broken packet is read or refused, and nothing else happens', (t) => {
  t.diagnostic(`seed ${SEED}`)
  const dice = diceOf(SEED)
  const outcomes = { read: 0, refused: 0 }
  for (let i = 0; i < READ; i++) {
    const bytes = broken(dice)
    const level = dice(2) === 0 ? 4 : 5
    try {
      decode(bytes[0] ?? 0, bytes.subarray(2), { level, isBridge: dice(8) === 0 })
      outcomes.read++
    } catch (error) {
      assert.ok(error instanceof BadPacket, `seed ${SEED}: ${bytes.toString('hex')}: ${error}`)
      outcomes.refused++
    }
  }
  assert.ok(outcomes.read > 0 && outcomes.refused > 0)
})

/** A connection with broken packets, of one of five clients. */
async function attack(
  t: Pick<TestContext, 'after'>,
  port: number,
  dice: (limit: number) => number
) {
  const level = dice(2) === 0 ? 4 : 5
  const hello = dice(8) === 0 ? [] : [connectPacket({ level, id: `f${dice(5)}` })]
  // Most packets are whole, so that the broken ones meet a session with something in it.
  const many = Array.from({ length: PACKETS_PER_CONNECTION }, () =>
    dice(4) === 0 ? broken(dice) : (whole[1 + dice(whole.length - 1)] ?? broken(dice))
  )
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.resume()
  const closed = once(socket, 'close')
  socket.end(Buffer.concat([...hello, ...many]))
  await closed
}

test('broken packets end their connection and not the broker, and leave no memory behind', async (t) => {
  t.diagnostic(`seed ${SEED}`)
  const dice = diceOf(SEED)
  const { bus, port } = await startBus(t)
  const bystander = await mqttClient(t, port)
  await bystander.subscribe('2/t')
  const ended: (() => void)[] = []
  const scope = { after: (close: () => void) => void ended.push(close) }
  const send = async (packets: number) => {
    for (let sent = 0; sent < packets; sent += AT_ONCE * PACKETS_PER_CONNECTION) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => attack(scope, port, dice)))
      for (const end of ended.splice(0)) end()
    }
    await eventually(() => assert.equal(bus.counts.connections, 1), 60_000)
  }
  const used = async () => {
    await bus.state()
    collect()
    await nextRound()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  await send(SENT / 10)
  const before = await used()
  await send(SENT)
  const more = (await used()) - before
  t.diagnostic(`${Math.round(more / 1024)} KiB more`)
  assert.ok(more < 16 * MIB, `${more} bytes more`)
  await bus.publish('2/t', 'end')
  await eventually(() => assert.equal(bystander.payloads().at(-1), 'end'))
})
