import { Cursor } from './cursor.ts'
import type {
  AckPacket,
  ConnectPacket,
  DisconnectPacket,
  Level,
  Packet,
  PublishPacket,
  Qos,
  SubscribePacket,
  Subscription,
  UnsubscribePacket,
  Will
} from './packets.ts'
import { allowedIn, noProperties, type ReadProperties, readProperties } from './properties.ts'
import { malformed, protocolError } from './reasons.ts'

/** What CONNECT said. */
type Speaker = { level: Level; isBridge: boolean }

/** Bridges of Mosquitto add it to the level. */
export const BRIDGE_BIT = 0x80

const acks = { 4: 'puback', 5: 'pubrec', 6: 'pubrel', 7: 'pubcomp' } as const
/** [MQTT-2.1.3-1] PUBREL, SUBSCRIBE and UNSUBSCRIBE; all others except PUBLISH have none. */
const flagged = new Set([6, 8, 10])
const FLAGS = 2

/** Reads a packet of a client. The level and the bridge bit do not matter for CONNECT. */
export function decode(header: number, body: Buffer, speaker: Speaker): Packet {
  const type = header >> 4
  const cursor = new Cursor(body)
  if (type === 3) return publish(header, cursor, speaker)
  if ((header & 15) !== (flagged.has(type) ? FLAGS : 0)) throw malformed('wrong flags')
  switch (type) {
    case 1:
      return connect(cursor)
    case 4:
    case 5:
    case 6:
    case 7:
      return ack(acks[type], cursor, speaker)
    case 8:
      return subscribe(cursor, speaker)
    case 10:
      return unsubscribe(cursor, speaker)
    case 12:
      return { cmd: 'pingreq' }
    case 14:
      return disconnect(cursor, speaker)
    case 15:
      if (speaker.level === 5) return { cmd: 'auth' }
  }
  throw protocolError('a packet that clients do not send')
}

function connect(cursor: Cursor): ConnectPacket {
  const name = cursor.looseText()
  if (name !== 'MQTT' && name !== 'MQIsdp') throw malformed('unknown protocol')
  const levelByte = cursor.byte()
  const level = (levelByte & ~BRIDGE_BIT) as Level
  const flags = cursor.byte()
  if (flags & 1) throw malformed('reserved flag') // [MQTT-3.1.2-3]
  const keepAlive = cursor.uint16()
  const { properties } = propertiesIn(cursor, level, allowedIn.connect)
  if (properties.authData !== undefined && properties.authMethod === undefined) {
    throw protocolError('authentication data without a method')
  }
  const packet: ConnectPacket = {
    cmd: 'connect',
    level,
    isBridge: (levelByte & BRIDGE_BIT) !== 0,
    clientId: textIn(cursor, level),
    isClean: (flags & 2) !== 0,
    keepAlive,
    will: willOf(flags, cursor, level),
    username: flags & 0x80 ? textIn(cursor, level) : '',
    password: flags & 0x40 ? cursor.binary().toString() : '',
    properties
  }
  // [MQTT-3.1.2-16], [MQTT-3.1.2-18]
  if (level === 5 && !cursor.isAtEnd) throw malformed('a field without its flag')
  return packet
}

function willOf(flags: number, cursor: Cursor, level: Level): Will | undefined {
  const qos = (flags >> 3) & 3
  const retain = (flags & 0x20) !== 0
  if ((flags & 4) === 0) {
    // [MQTT-3.1.2-11], [MQTT-3.1.2-13]
    if (qos > 0 || retain) throw malformed('flags of a will without a will')
    return undefined
  }
  if (!isQos(qos)) throw malformed('QoS 3') // [MQTT-3.1.2-12]
  const { properties, passed } = propertiesIn(cursor, level, allowedIn.will)
  const topic = textIn(cursor, level)
  // A copy, because the will stays in memory and its packet does not.
  const will = { topic, payload: Buffer.from(cursor.binary()), qos, retain }
  if (level < 5) return will
  return {
    ...will,
    properties: passed,
    expiry: properties.messageExpiry,
    delay: properties.willDelay
  }
}

function publish(header: number, cursor: Cursor, { level }: Speaker): PublishPacket {
  const qos = (header >> 1) & 3
  if (!isQos(qos)) throw malformed('QoS 3') // [MQTT-3.3.1-4]
  const topic = textIn(cursor, level)
  const id = qos > 0 ? idIn(cursor, level) : 0
  const retain = (header & 1) === 1
  if (level < 5) return { cmd: 'publish', topic, qos, retain, id, payload: cursor.rest() }
  const { properties, passed } = readProperties(cursor, allowedIn.publish)
  // One literal, because this is done for every message, and spreads are slower.
  return {
    cmd: 'publish',
    topic,
    qos,
    retain,
    id,
    payload: cursor.rest(),
    properties: passed,
    expiry: properties.messageExpiry,
    alias: properties.topicAlias
  }
}

function ack(cmd: AckPacket['cmd'], cursor: Cursor, { level }: Speaker): AckPacket {
  const id = cursor.uint16()
  if (level < 5 || cursor.isAtEnd) return { cmd, id, reason: 0 }
  const reason = cursor.byte()
  if (!cursor.isAtEnd) readProperties(cursor, allowedIn.acknowledgement)
  return { cmd, id, reason }
}

function subscribe(cursor: Cursor, { level, isBridge }: Speaker): SubscribePacket {
  const id = idIn(cursor, level)
  const { properties } = propertiesIn(cursor, level, allowedIn.subscribe)
  const subscriptions: Subscription[] = []
  while (!cursor.isAtEnd) {
    const filter = textIn(cursor, level)
    const options = cursor.byte()
    const qos = options & 3
    if (!isQos(qos)) throw protocolError('QoS 3')
    subscriptions.push({ filter, qos, ...optionsOf(options >> 2, { level, isBridge }) })
  }
  if (subscriptions.length === 0) throw protocolError('SUBSCRIBE without filters') // [MQTT-3.8.3-2]
  if (properties.subscriptionId !== undefined) {
    for (const subscription of subscriptions) subscription.id = properties.subscriptionId
  }
  return { cmd: 'subscribe', id, subscriptions }
}

function optionsOf(bits: number, { level, isBridge }: Speaker): Partial<Subscription> {
  if (level < 5) {
    if (bits !== 0) throw malformed('wrong options of a filter')
    return isBridge ? { nl: true, rap: true, rh: 0 } : {}
  }
  const rh = (bits >> 2) & 3
  if (bits >> 4 !== 0) throw malformed('wrong options of a filter') // [MQTT-3.8.3-5]
  if (rh === 3) throw protocolError('wrong retain handling')
  return { nl: (bits & 1) !== 0, rap: (bits & 2) !== 0, rh }
}

function unsubscribe(cursor: Cursor, { level }: Speaker): UnsubscribePacket {
  const id = idIn(cursor, level)
  propertiesIn(cursor, level, allowedIn.unsubscribe)
  const filters: string[] = []
  while (!cursor.isAtEnd) filters.push(textIn(cursor, level))
  if (filters.length === 0) throw protocolError('UNSUBSCRIBE without filters') // [MQTT-3.10.3-2]
  return { cmd: 'unsubscribe', id, filters }
}

function disconnect(cursor: Cursor, { level }: Speaker): DisconnectPacket {
  if (level < 5 || cursor.isAtEnd) {
    return { cmd: 'disconnect', reason: 0, sessionExpiry: undefined }
  }
  const reason = cursor.byte()
  const { properties } = cursor.isAtEnd
    ? noProperties
    : readProperties(cursor, allowedIn.disconnect)
  return { cmd: 'disconnect', reason, sessionExpiry: properties.sessionExpiry }
}

const propertiesIn = (
  cursor: Cursor,
  level: Level,
  allowed: (typeof allowedIn)[keyof typeof allowedIn]
): ReadProperties => (level < 5 ? noProperties : readProperties(cursor, allowed))

const textIn = (cursor: Cursor, level: Level): string =>
  level < 5 ? cursor.looseText() : cursor.text()

/** [MQTT-2.2.1-3] */
function idIn(cursor: Cursor, level: Level): number {
  const id = cursor.uint16()
  if (id === 0 && level === 5) throw protocolError('packet id 0')
  return id
}

const isQos = (value: number): value is Qos => value >= 0 && value <= 2
