import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type Packet, parser } from 'mqtt-packet'
import { connectPacket, packet, publishPacket, subscribePacket } from './mqtt.ts'

type Ask =
  | { kind: 'open'; port: number; count: number; usernames: string[] }
  | { kind: 'subscribe'; filter: string; qos: number }
  | { kind: 'flood'; topic: string; count: number; qos: number; payload: string }
  | { kind: 'received' }
  | { kind: 'acknowledged' }
  | { kind: 'leave'; count: number }
type Asked = { number: number; ask: Ask }
type Answered = { number: number; value: unknown; error: Error | undefined }

/**
 * Many MQTT connections in a separate thread, so that their work is not measured as work of the
 * broker.
 */
export async function startCrowd(
  t: Pick<TestContext, 'after'>,
  { port, count, usernames = ['anna'] }: { port: number; count: number; usernames?: string[] }
) {
  const worker = new Worker(new URL(import.meta.url))
  t.after(() => worker.terminate())
  let last = 0
  const ask = async <T>(asked: Ask): Promise<T> => {
    const number = ++last
    worker.postMessage({ number, ask: asked } satisfies Asked)
    for (;;) {
      const [answer] = (await once(worker, 'message')) as [Answered]
      if (answer.number !== number) continue
      if (answer.error) throw answer.error
      return answer.value as T
    }
  }
  await ask<void>({ kind: 'open', port, count, usernames })
  return {
    subscribe: (filter: string, qos = 0) => ask<void>({ kind: 'subscribe', filter, qos }),
    /** Each connection sends this many messages, all at once. */
    flood: (flood: { topic: string; count: number; qos: number; payload?: string }) =>
      ask<void>({ kind: 'flood', payload: '1', ...flood }),
    /** The messages that each connection received so far: `<topic> <payload>`. */
    received: () => ask<string[][]>({ kind: 'received' }),
    acknowledged: () => ask<number>({ kind: 'acknowledged' }),
    /** Closes the first of the connections. */
    leave: (leaving: number) => ask<void>({ kind: 'leave', count: leaving })
  }
}

type Member = {
  socket: Socket
  received: string[]
  acknowledged: number
  waiting: Map<string, () => void>
}

async function open(port: number, id: string, username: string): Promise<Member> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const member: Member = { socket, received: [], acknowledged: 0, waiting: new Map() }
  const packets = parser()
  packets.on('packet', (arrived: Packet) => {
    if (arrived.cmd === 'publish') {
      member.received.push(`${arrived.topic} ${arrived.payload}`)
      const { messageId: ack = 0 } = arrived
      if (arrived.qos === 1) socket.write(packet(0x40, Buffer.from([ack >> 8, ack & 255])))
    } else if (arrived.cmd === 'puback') member.acknowledged++
    else member.waiting.get(arrived.cmd)?.()
  })
  socket.on('data', (bytes) => packets.parse(bytes))
  await once(socket, 'connect')
  socket.write(connectPacket({ id, username }))
  await answer(member, 'connack')
  return member
}

const answer = ({ waiting }: Member, cmd: string): Promise<void> =>
  new Promise((resolve) => waiting.set(cmd, resolve))

function serve(): void {
  let members: Member[] = []
  const handle = async (ask: Ask): Promise<unknown> => {
    switch (ask.kind) {
      case 'open': {
        const { port, count, usernames } = ask
        for (let i = 0; i < count; i++) {
          members.push(await open(port, `crowd ${i}`, usernames[i % usernames.length] ?? ''))
        }
        return undefined
      }
      case 'subscribe':
        for (const member of members) {
          member.socket.write(subscribePacket(1, ask.filter, ask.qos))
          await answer(member, 'suback')
        }
        return undefined
      case 'flood': {
        const { topic, payload, qos } = ask
        const ids = Array.from({ length: ask.count }, (_, i) => i + 1)
        const all = Buffer.concat(ids.map((id) => publishPacket(topic, payload, { qos, id })))
        for (const { socket } of members) socket.write(all)
        return undefined
      }
      case 'received':
        return members.map(({ received }) => received)
      case 'acknowledged':
        return members.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
      case 'leave':
        for (const { socket } of members.slice(0, ask.count)) socket.destroy()
        members = members.slice(ask.count)
        return undefined
    }
  }
  parentPort?.on('message', ({ number, ask }: Asked) => {
    handle(ask).then(
      (value) => parentPort?.postMessage({ number, value, error: undefined } satisfies Answered),
      (error) => parentPort?.postMessage({ number, value: undefined, error } satisfies Answered)
    )
  })
}

if (!isMainThread && parentPort) serve()
