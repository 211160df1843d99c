import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { generate, type Packet, parser } from 'mqtt-packet'
import { answerWith } from '../child.ts'
import { spreadOf } from '../figures.ts'
import { coresBetween, cpuSecondsByPid } from '../machine.ts'
import type { LoadResult } from './mqtt-load.ts'

/** A load for the node that reads. */
export type Feed = {
  serverPid: number
  topics: string[]
  warmMs: number
  measureMs: number
  /** Closed: so many are open at a time. Open: so many are due a second. */
  pace: { inFlight: number } | { perSecond: number }
}
export type Question = { listens: true } | Feed

const ALL_VALUES = '+/obj/#'
const version = { protocolVersion: 5 }
const HOUR_MS = 3_600_000
const GIVE_UP_MS = 60_000

/** The connection that reads values. */
let reader: Socket | undefined
let onPuback: (id: number) => void = () => {}
let number = 0

/**
 * As much of a broker as a node needs that reads with one session. It writes down when the node
 * acknowledges each message, which a real broker does not tell.
 */
async function listen(): Promise<{ port: number }> {
  const server = createServer({ noDelay: true }, (socket) => {
    const packets = parser(version)
    const write = (packet: Packet) => socket.write(generate(packet, version))
    socket.on('error', () => {})
    socket.on('data', (chunk) => packets.parse(chunk))
    packets.on('packet', (packet) => {
      const { messageId = 0 } = packet
      if (packet.cmd === 'connect') {
        write({ cmd: 'connack', reasonCode: 0, sessionPresent: false })
      } else if (packet.cmd === 'subscribe') {
        if (packet.subscriptions.some(({ topic }) => topic === ALL_VALUES)) reader = socket
        write({ cmd: 'suback', messageId, granted: packet.subscriptions.map(() => 1) })
      } else if (packet.cmd === 'unsubscribe') write({ cmd: 'unsuback', messageId, granted: [0] })
      else if (packet.cmd === 'publish' && packet.qos === 1) {
        write({ cmd: 'puback', messageId, reasonCode: 0 })
      } else if (packet.cmd === 'pingreq') write({ cmd: 'pingresp' })
      else if (packet.cmd === 'puback' && socket === reader) onPuback(messageId)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port }
}

async function feed({ serverPid, topics, warmMs, measureMs, pace }: Feed): Promise<LoadResult> {
  const socket = reader
  if (!socket) throw new Error('nobody reads')
  const most = 'inFlight' in pace ? pace.inFlight : 1000
  const free = Array.from({ length: most }, (_, i) => i + 1)
  const dueAt = new Float64Array(most + 1)
  const latencies: number[] = []
  const start = performance.now()
  const [from, to] = [start + warmMs, start + warmMs + measureMs]
  let [sent, acknowledged, measured] = [0, 0, 0]
  const firstTimestamp = Date.now() - HOUR_MS
  const send = (due: number) => {
    const messageId = free.pop() ?? 0
    dueAt[messageId] = due
    const timestamp = (firstTimestamp + Math.floor(number / topics.length)) / 1000
    const topic = topics[number % topics.length] ?? ''
    const payload = JSON.stringify({ value: 20 + (number % 100) / 10, timestamp })
    const packet = { cmd: 'publish', topic, payload, messageId, qos: 1, dup: false, retain: false }
    socket.write(generate(packet as Packet, version))
    number++
    sent++
  }
  onPuback = (id) => {
    const now = performance.now()
    const due = dueAt[id] ?? 0
    free.push(id)
    acknowledged++
    if (now >= from && now < to) measured++
    if (due >= from && due < to) latencies.push(now - due)
    if ('inFlight' in pace && now < to) send(now)
  }
  if ('inFlight' in pace) for (let i = 0; i < most; i++) send(start)
  else void sendOnTime(pace.perSecond)
  async function sendOnTime(perSecond: number) {
    for (let now = start; now < to; now = performance.now()) {
      const due = Math.floor(((now - start) / 1000) * perSecond)
      // What the window does not let through is late, and its delay counts.
      while (sent < due && free.length > 0) send(start + (sent / perSecond) * 1000)
      await wait(1)
    }
  }
  await wait(from - performance.now())
  const before = cpuSecondsByPid()
  await wait(to - performance.now())
  const { named, others } = coresBetween(before, cpuSecondsByPid(), measureMs / 1000, [
    serverPid,
    process.pid
  ])
  while (acknowledged < sent) {
    if (performance.now() > to + GIVE_UP_MS) throw new Error('messages were never acknowledged')
    await wait(20)
  }
  const rising = Float64Array.from(latencies).sort()
  const [server = 0, ours = 0] = named
  const latency = spreadOf(rising)
  const cores = { server, load: ours, others }
  return { perSecond: measured / (measureMs / 1000), acknowledged, latency, cores }
}

answerWith<Question, { port: number } | LoadResult>((question) =>
  'listens' in question ? listen() : feed(question)
)
