import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { answerWith } from '../child.ts'
import { connectPacket, type Level, publishPacket, subscribePacket } from './mqtt-packets.ts'

/** `bytes`: wait until all together have received this many since the last request. */
export type CrowdQuestion =
  | { kind: 'open'; port: number; password: string; count: number; level: Level }
  | { kind: 'subscribe'; filters: string[]; bytes: number }
  | { kind: 'publish'; topics: string[]; payload: string; retain: boolean; bytes: number }

const GIVE_UP_MS = 60_000
const TOPICS_PER_PART = 500

const sockets: Socket[] = []
let received = 0

async function open(question: CrowdQuestion & { kind: 'open' }): Promise<void> {
  const { port, password, count, level } = question
  for (let i = 0; i < count; i++) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    const id = `crowd-${sockets.length}`
    socket.write(connectPacket(id, { username: 'bench', password, level }))
    const [connack] = await once(socket, 'data')
    if (connack[3] !== 0) throw new Error(`CONNECT refused with ${connack[3]}`)
    socket.on('data', ({ length }) => {
      received += length
    })
    sockets.push(socket)
  }
}

answerWith(async (question: CrowdQuestion): Promise<number> => {
  received = 0
  if (question.kind === 'open') {
    await open(question)
    return 0
  }
  if (question.kind === 'subscribe') {
    for (const socket of sockets) socket.write(subscribePacket(1, question.filters))
  } else {
    const { topics, payload, retain } = question
    for (let at = 0; at < topics.length; at += TOPICS_PER_PART) {
      const part = topics.slice(at, at + TOPICS_PER_PART)
      const packets = part.map((topic) => publishPacket(topic, payload, { retain }))
      sockets[0]?.write(Buffer.concat(packets))
      await wait(1)
    }
  }
  const giveUp = performance.now() + GIVE_UP_MS
  while (received < question.bytes) {
    if (performance.now() > giveUp) throw new Error(`only ${received} bytes came`)
    await wait(5)
  }
  return received
})
