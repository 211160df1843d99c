import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet'
import { eventually } from './eventually.ts'
import { packet } from './mqtt.ts'

type Of<Cmd extends Packet['cmd']> = Extract<Packet, { cmd: Cmd }>

export type Client5 = {
  socket: Socket
  /** Everything that the broker sent, in order. */
  packets: Packet[]
  send: (...packets: (Packet | Buffer)[]) => void
  /** The packets of one kind. */
  all: <Cmd extends Packet['cmd']>(cmd: Cmd) => Of<Cmd>[]
  /** Waits for the n-th packet of a kind, counted from 1. */
  next: <Cmd extends Packet['cmd']>(cmd: Cmd, n?: number) => Promise<Of<Cmd>>
  isClosed: () => boolean
}

const level = { protocolVersion: 5 }

/** A client of MQTT 5 that sends and acknowledges only what the test tells it to. */
export async function client5(
  t: Pick<TestContext, 'after'>,
  port: number,
  asked: Partial<IConnectPacket> = {}
): Promise<Client5> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  const packets: Packet[] = []
  const reader = parser(level)
  reader.on('packet', (packet) => packets.push(packet))
  socket.on('data', (bytes) => reader.parse(bytes))
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.setNoDelay(true)
  const send = (...all: (Packet | Buffer)[]) =>
    socket.write(
      Buffer.concat(all.map((one) => (Buffer.isBuffer(one) ? one : generate(one, level))))
    )
  const all = <Cmd extends Packet['cmd']>(cmd: Cmd) =>
    packets.filter((packet): packet is Of<Cmd> => packet.cmd === cmd)
  const client: Client5 = {
    ...{ socket, packets, send, all },
    next: async (cmd, n = 1) => {
      await eventually(() => {
        if (all(cmd).length < n)
          throw new Error(`no ${cmd} number ${n}: ${JSON.stringify(packets)}`)
      })
      return all(cmd)[n - 1] as Of<typeof cmd>
    },
    isClosed: () => socket.closed || socket.readableEnded
  }
  send({
    ...{ cmd: 'connect', clientId: '', username: 'anna', password: Buffer.from('x') },
    ...{ protocolId: 'MQTT', protocolVersion: 5, clean: true, keepalive: 0 },
    ...asked
  })
  return client
}

export const publish5 = (
  topic: string,
  payload: string,
  {
    qos = 0,
    id,
    retain = false,
    properties
  }: {
    qos?: 0 | 1 | 2
    id?: number
    retain?: boolean
    properties?: Of<'publish'>['properties']
  } = {}
): Packet => ({
  ...{ cmd: 'publish', topic, payload, qos, retain, dup: false },
  ...(id !== undefined && { messageId: id }),
  ...(properties && { properties })
})

type Options = { qos?: 0 | 1 | 2; nl?: boolean; rap?: boolean; rh?: number }

export const subscribe5 = (
  id: number,
  filters: string | string[],
  {
    qos = 1,
    nl = false,
    rap = false,
    rh = 0,
    subscriptionIdentifier
  }: Options & {
    subscriptionIdentifier?: number
  } = {}
): Packet => ({
  ...{ cmd: 'subscribe', messageId: id },
  subscriptions: [filters].flat().map((topic) => ({ topic, qos, nl, rap, rh })),
  ...(subscriptionIdentifier !== undefined && { properties: { subscriptionIdentifier } })
})

export const puback5 = (id: number): Packet => ({ cmd: 'puback', messageId: id, reasonCode: 0 })

/** A text or binary data with its length in front. */
export const lengthed = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

/** CONNECT of MQTT 5 with any flags and any fields behind the properties. */
export const connectBytes5 = (
  flags: number,
  fields: Buffer[],
  { name = 'MQTT', level = 5, properties = Buffer.alloc(0) } = {}
): Buffer =>
  packet(
    0x10,
    lengthed(name),
    Buffer.from([level, flags, 0, 0, properties.length]),
    properties,
    ...fields
  )

/** Resolves when everything that the client sent before is handled. */
export async function settled(client: Client5): Promise<void> {
  const n = client.all('pingresp').length
  client.send(packet(0xc0))
  await client.next('pingresp', n + 1)
}
