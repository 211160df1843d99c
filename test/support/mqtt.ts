import { once } from 'node:events'
import { connect as connectTcp, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { connect, type IClientOptions, type MqttClient } from 'mqtt'

export type Received = { topic: string; payload: string; qos: number; retain: boolean }

export type TestClient = {
  mqtt: MqttClient
  /** Everything that arrived since CONNECT was sent. */
  messages: Received[]
  payloads: () => string[]
  /** Resolves when acknowledged (QoS 1 and 2). */
  publish: (
    topic: string,
    payload: string,
    options?: { qos?: 0 | 1 | 2; retain?: boolean }
  ) => Promise<void>
  /** The granted QoS of each filter, or 128. */
  subscribe: (filters: string | string[], qos?: 0 | 1 | 2) => Promise<number[]>
  sessionPresent: boolean
}

/** An MQTT 3.1.1 client that never reconnects. If it is refused it rejects, with the code in `code`. */
export async function mqttClient(
  t: Pick<TestContext, 'after'>,
  server: number | string,
  options: IClientOptions = {}
): Promise<TestClient> {
  const url = typeof server === 'number' ? `mqtt://127.0.0.1:${server}` : server
  const mqtt = connect(url, { reconnectPeriod: 0, protocolVersion: 4, ...options })
  t.after(() => mqtt.end(true))
  const messages: Received[] = []
  mqtt.on('message', (topic, payload, { qos, retain }) =>
    messages.push({ topic, payload: payload.toString(), qos, retain })
  )
  const sessionPresent = await new Promise<boolean>((resolve, reject) => {
    mqtt.once('connect', (connack) => resolve(connack.sessionPresent))
    mqtt.once('error', reject)
    mqtt.once('close', () => reject(new Error('closed before CONNACK')))
  })
  mqtt.on('error', () => {})
  // Without this, a packet after an acknowledgement waits 40 ms for a TCP acknowledgement.
  if (mqtt.stream instanceof Socket) mqtt.stream.setNoDelay(true)
  return {
    mqtt,
    messages,
    payloads: () => messages.map(({ payload }) => payload),
    publish: async (topic, payload, publishOptions) => {
      await mqtt.publishAsync(topic, payload, publishOptions)
    },
    subscribe: (filters, qos = 1) =>
      new Promise((resolve, reject) => {
        mqtt.subscribe(filters, { qos }, (error, _granted, packet) => {
          // The client turns 128 into an error; here it is an ordinary answer.
          if (packet) resolve(packet.granted.map(Number))
          else reject(error ?? new Error('no SUBACK'))
        })
      }),
    sessionPresent
  }
}

/** Sends and receives raw bytes, for packets that an ordinary client would not send. */
export async function rawClient(t: Pick<TestContext, 'after'>, port: number) {
  const socket: Socket = connectTcp(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let received = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return {
    socket,
    send: (...packets: Buffer[]) => socket.write(Buffer.concat(packets)),
    hex: () => received.toString('hex'),
    isClosed: () => socket.closed || socket.readableEnded
  }
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

export function packet(header: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length = []
  let rest = body.length
  do {
    length.push((rest & 127) | (rest > 127 ? 128 : 0))
    rest >>= 7
  } while (rest > 0)
  return Buffer.concat([Buffer.from([header, ...length]), body])
}

export function connectPacket({
  id = '',
  level = 4,
  name = 'MQTT',
  clean = true,
  username = 'anna',
  password,
  will
}: {
  id?: string
  level?: number
  name?: string
  clean?: boolean
  username?: string
  password?: string
  will?: { topic: string; payload: string; qos: number }
}): Buffer {
  const signIn = 0x80 | (password === undefined ? 0 : 0x40)
  const flags = signIn | (clean ? 2 : 0) | (will ? 4 | (will.qos << 3) : 0)
  return packet(
    0x10,
    text(name),
    Buffer.from([level, flags, 0, 0]),
    ...(level === 5 ? [Buffer.from([0])] : []),
    text(id),
    ...(will ? [text(will.topic), text(will.payload)] : []),
    text(username),
    ...(password === undefined ? [] : [text(password)])
  )
}

export function publishPacket(
  topic: string,
  payload: string,
  { qos = 0, id = 0, dup = false }: { qos?: number; id?: number; dup?: boolean } = {}
): Buffer {
  const messageId = qos > 0 ? [Buffer.from([id >> 8, id & 255])] : []
  return packet(0x30 | (qos << 1) | (dup ? 8 : 0), text(topic), ...messageId, Buffer.from(payload))
}

export function subscribePacket(id: number, filter: string, qos = 1): Buffer {
  return packet(0x82, Buffer.from([id >> 8, id & 255]), text(filter), Buffer.from([qos]))
}

export const pubrelPacket = (id: number): Buffer => packet(0x62, Buffer.from([id >> 8, id & 255]))
