import { hasWildcard } from '../../../lib/topic.ts'
import { Cursor } from './cursor.ts'
import { BadPacket, malformed, protocolError, reasons } from './reasons.ts'
import { varint } from './varint.ts'

type Kind = 'flag' | 'uint16' | 'uint32' | 'varint' | 'text' | 'binary' | 'pair'

/** [MQTT5 2.2.2.2] */
const kinds = {
  payloadFormat: [0x01, 'flag'],
  messageExpiry: [0x02, 'uint32'],
  contentType: [0x03, 'text'],
  responseTopic: [0x08, 'text'],
  correlationData: [0x09, 'binary'],
  subscriptionId: [0x0b, 'varint'],
  sessionExpiry: [0x11, 'uint32'],
  assignedClientId: [0x12, 'text'],
  serverKeepAlive: [0x13, 'uint16'],
  authMethod: [0x15, 'text'],
  authData: [0x16, 'binary'],
  requestProblem: [0x17, 'flag'],
  willDelay: [0x18, 'uint32'],
  requestResponse: [0x19, 'flag'],
  reasonString: [0x1f, 'text'],
  receiveMaximum: [0x21, 'uint16'],
  topicAliasMaximum: [0x22, 'uint16'],
  topicAlias: [0x23, 'uint16'],
  userProperty: [0x26, 'pair'],
  maximumPacketSize: [0x27, 'uint32'],
  wildcards: [0x28, 'flag'],
  subscriptionIds: [0x29, 'flag'],
  shared: [0x2a, 'flag']
} as const satisfies Record<string, readonly [id: number, kind: Kind]>

type Name = keyof typeof kinds
type ValueOf = {
  flag: number
  uint16: number
  uint32: number
  varint: number
  text: string
  binary: Buffer
  pair: undefined
}
/** The properties of a packet, without its user properties: the broker passes them on unread. */
export type Properties = { [N in Name]?: ValueOf[(typeof kinds)[N][1]] }

const names = new Map<number, Name>(Object.entries(kinds).map(([name, [id]]) => [id, name as Name]))
const namesIn = (...allowed: Name[]): ReadonlySet<Name> => new Set(allowed)

/** Which properties a client may send in which packet. */
export const allowedIn = {
  connect: namesIn(
    ...(['sessionExpiry', 'receiveMaximum', 'maximumPacketSize', 'topicAliasMaximum'] as const),
    ...(['requestResponse', 'requestProblem', 'userProperty', 'authMethod', 'authData'] as const)
  ),
  will: namesIn(
    ...(['willDelay', 'payloadFormat', 'messageExpiry', 'contentType'] as const),
    ...(['responseTopic', 'correlationData', 'userProperty'] as const)
  ),
  publish: namesIn(
    ...(['payloadFormat', 'messageExpiry', 'topicAlias', 'responseTopic'] as const),
    ...(['correlationData', 'userProperty', 'contentType'] as const)
  ),
  acknowledgement: namesIn('reasonString', 'userProperty'),
  subscribe: namesIn('subscriptionId', 'userProperty'),
  unsubscribe: namesIn('userProperty'),
  disconnect: namesIn('sessionExpiry', 'reasonString', 'userProperty'),
  auth: namesIn('authMethod', 'authData', 'reasonString', 'userProperty')
} as const

/** [MQTT5 3.3.2.3] Receivers get these as they came, whatever is in them. */
const passedOn = namesIn(
  ...(['payloadFormat', 'contentType', 'responseTopic', 'correlationData', 'userProperty'] as const)
)
const notZero = namesIn('receiveMaximum', 'maximumPacketSize', 'subscriptionId')
/** Reading them must not hold the event loop. */
const MAX_PROPERTY_BYTES = 32 * 1024

export type ReadProperties = {
  properties: Properties
  /** The bytes of the properties that are passed on, in their order. */
  passed: Buffer | undefined
}

export const noProperties: ReadProperties = { properties: {}, passed: undefined }

export function readProperties(packet: Cursor, allowed: ReadonlySet<Name>): ReadProperties {
  const length = packet.varint()
  if (length === 0) return noProperties
  if (length > MAX_PROPERTY_BYTES) throw new BadPacket(reasons.tooLarge, 'too many properties')
  const end = packet.at + length
  if (end > packet.end) throw malformed('properties go beyond the end of their packet')
  const cursor = new Cursor(packet.bytes, packet.at, end)
  packet.at = end
  const properties: Properties = {}
  const passed: Buffer[] = []
  /** Where the properties begin that are passed on and stand together. */
  let begin = cursor.at
  while (!cursor.isAtEnd) {
    const { at } = cursor
    const name = names.get(cursor.varint())
    if (!name) throw malformed('unknown property')
    if (!allowed.has(name)) throw protocolError(`${name} does not belong in this packet`)
    if (properties[name] !== undefined) throw protocolError(`${name} is there twice`)
    readProperty(cursor, name, properties)
    if (passedOn.has(name)) continue
    if (at > begin) passed.push(cursor.bytes.subarray(begin, at))
    begin = cursor.at
  }
  if (cursor.at > begin) passed.push(cursor.bytes.subarray(begin, cursor.at))
  return { properties, passed: passed.length > 0 ? Buffer.concat(passed) : undefined }
}

function readProperty(cursor: Cursor, name: Name, properties: Properties): void {
  // There may be thousands of them.
  if (name === 'userProperty') {
    cursor.checkText()
    cursor.checkText()
    return
  }
  const value = readValue(cursor, kinds[name][1])
  if (name === 'topicAlias' && value === 0) {
    throw new BadPacket(reasons.badTopicAlias, 'topic alias 0')
  }
  if (value === 0 && notZero.has(name)) throw protocolError(`${name} is 0`)
  // [MQTT-3.3.2-14]
  if (name === 'responseTopic' && hasWildcard(String(value))) {
    throw protocolError('a wildcard in a response topic')
  }
  Object.assign(properties, { [name]: value })
}

function readValue(cursor: Cursor, kind: Kind): ValueOf[Kind] {
  switch (kind) {
    case 'flag': {
      const flag = cursor.byte()
      if (flag > 1) throw protocolError('a flag is neither 0 nor 1')
      return flag
    }
    case 'uint16':
      return cursor.uint16()
    case 'uint32':
      return cursor.uint32()
    case 'varint':
      return cursor.varint()
    case 'text':
      return cursor.text()
    case 'binary':
      return cursor.binary()
    case 'pair':
      cursor.checkText()
      cursor.checkText()
      return undefined
  }
}

export type PassedProperties = Pick<Properties, 'contentType' | 'correlationData'> & {
  userProperties: { name: string; value: string }[]
}

/** What the properties say that a message was passed on with. */
export function readPassed(passed: Buffer | undefined): PassedProperties {
  const userProperties: PassedProperties['userProperties'] = []
  if (!passed) return { userProperties }
  const cursor = new Cursor(passed)
  const properties: Properties = {}
  while (!cursor.isAtEnd) {
    const name = names.get(cursor.varint())
    if (!name) throw malformed('unknown property')
    if (name !== 'userProperty') readProperty(cursor, name, properties)
    else userProperties.push({ name: cursor.text(), value: cursor.text() })
  }
  const { contentType, correlationData } = properties
  return { contentType, correlationData, userProperties }
}

/** Properties that are passed on, with another response topic. */
export function withResponseTopic(passed: Buffer, change: (topic: string) => string): Buffer {
  const cursor = new Cursor(passed)
  const parts: Buffer[] = []
  while (!cursor.isAtEnd) {
    const begin = cursor.at
    const name = names.get(cursor.varint())
    if (!name) throw malformed('unknown property')
    const value = readValue(cursor, kinds[name][1])
    if (name === 'responseTopic') parts.push(writeProperties({ [name]: change(String(value)) }))
    else parts.push(passed.subarray(begin, cursor.at))
  }
  return Buffer.concat(parts)
}

/** Properties as bytes, without their length in front. */
export function writeProperties(properties: Properties): Buffer {
  const parts: Buffer[] = []
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue
    const [id, kind] = kinds[name as Name]
    parts.push(Buffer.from([id]), writeValue(kind, value))
  }
  return Buffer.concat(parts)
}

export function writeUserProperty(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([kinds.userProperty[0]]), lengthed(name), lengthed(value)])
}

function writeValue(kind: Kind, value: number | string | Buffer): Buffer {
  switch (kind) {
    case 'flag':
      return Buffer.from([Number(value)])
    case 'uint16':
      return Buffer.from([Number(value) >> 8, Number(value) & 255])
    case 'uint32': {
      const bytes = Buffer.allocUnsafe(4)
      bytes.writeUInt32BE(Number(value))
      return bytes
    }
    case 'varint':
      return varint(Number(value))
    default:
      return lengthed(value as string | Buffer)
  }
}

/** [MQTT5 1.5.4], [MQTT5 1.5.6] */
export function lengthed(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}
