import type { Level, Qos } from './packets.ts'
import { type Properties, writeProperties } from './properties.ts'
import { varint, varintBytes, writeVarint } from './varint.ts'

const CONNACK = 0x20
const PUBLISH = 0x30
const SUBACK = 0x90
const UNSUBACK = 0xb0
const DISCONNECT = 0xe0
const types = { puback: 0x40, pubrec: 0x50, pubrel: 0x62, pubcomp: 0x70 }
const SHORT_ACK_BYTES = 4

export type AckType = keyof typeof types
/** `reason` and `properties` only for clients of MQTT 5. */
export type Ack = {
  type: AckType
  id: number
  reason?: number | undefined
  properties?: Buffer | undefined
}

export const pingresp = Buffer.from([0xd0, 0])
const none = Buffer.alloc(0)

/** CONNACK of MQTT 3. */
export const connack = (returnCode: number, isSessionPresent: boolean): Buffer =>
  Buffer.from([CONNACK, 2, Number(isSessionPresent), returnCode])

export const connack5 = (
  reason: number,
  isSessionPresent: boolean,
  properties: Properties
): Buffer =>
  packet(
    CONNACK,
    Buffer.from([Number(isSessionPresent), reason]),
    withLength(writeProperties(properties))
  )

/** Of MQTT 5. Only there a server says why it ends the connection. */
export const disconnect = (reason: number, reasonString?: string): Buffer =>
  packet(DISCONNECT, Buffer.from([reason]), withLength(writeProperties({ reasonString })))

/** PUBACK, PUBREC, PUBREL and PUBCOMP, one behind the other. */
export function writeAcks(acks: readonly Ack[]): Buffer {
  if (acks.some(({ reason, properties }) => reason || properties)) {
    return Buffer.concat(acks.map(writeAck))
  }
  const bytes = Buffer.allocUnsafe(acks.length * SHORT_ACK_BYTES)
  let at = 0
  for (const { type, id } of acks) {
    bytes[at++] = types[type]
    bytes[at++] = 2
    bytes[at++] = id >> 8
    bytes[at++] = id & 255
  }
  return bytes
}

/** [MQTT5 3.4.2.1] The reason is left out if it is 0 and there are no properties. */
function writeAck({ type, id, reason = 0, properties = none }: Ack): Buffer {
  if (reason === 0 && properties.length === 0) return packet(types[type], uint16(id))
  return packet(types[type], uint16(id), Buffer.from([reason]), withLength(properties))
}

export function suback(id: number, codes: readonly number[], level: Level): Buffer {
  return packet(SUBACK, uint16(id), level === 5 ? withLength(none) : none, Buffer.from(codes))
}

/** The codes are for MQTT 5. */
export function unsuback(id: number, codes: readonly number[], level: Level): Buffer {
  if (level < 5) return packet(UNSUBACK, uint16(id))
  return packet(UNSUBACK, uint16(id), withLength(none), Buffer.from(codes))
}

type HeadOptions = {
  topic: string
  qos: Qos
  retain: boolean
  payloadBytes: number
  /** Undefined for MQTT 3. */
  properties: Buffer | undefined
}
/** A PUBLISH up to its payload. `idAt` is the place of the packet id, at QoS 1 and 2. */
export type PublishHead = { bytes: Buffer; idAt: number; packetBytes: number }

export function publishHead(options: HeadOptions): PublishHead {
  const { topic, qos, retain, payloadBytes, properties } = options
  const topicBytes = Buffer.byteLength(topic)
  const propertyBytes = properties ? varintBytes(properties.length) + properties.length : 0
  const variable = 2 + topicBytes + (qos > 0 ? 2 : 0) + propertyBytes
  const length = variable + payloadBytes
  const bytes = Buffer.allocUnsafe(1 + varintBytes(length) + variable)
  bytes[0] = PUBLISH | (qos << 1) | Number(retain)
  let at = writeVarint(bytes, 1, length)
  bytes[at++] = topicBytes >> 8
  bytes[at++] = topicBytes & 255
  at += bytes.write(topic, at)
  const idAt = at
  if (qos > 0) at += 2
  if (properties) properties.copy(bytes, writeVarint(bytes, at, properties.length))
  return { bytes, idAt, packetBytes: bytes.length + payloadBytes }
}

/** A copy of the head of a PUBLISH with its own packet id. */
export function numberedHead(head: PublishHead, id: number, isRepeated: boolean): Buffer {
  const bytes = Buffer.from(head.bytes)
  if (isRepeated) bytes[0] = (bytes[0] ?? 0) | 8
  bytes[head.idAt] = id >> 8
  bytes[head.idAt + 1] = id & 255
  return bytes
}

function packet(header: number, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.from([header]), varint(length), ...parts])
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const withLength = (properties: Buffer): Buffer =>
  Buffer.concat([varint(properties.length), properties])
