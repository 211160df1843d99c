import type { Properties } from './properties.ts'

export type Qos = 0 | 1 | 2
/** MQTT 3.1, 3.1.1 and 5. */
export type Level = 3 | 4 | 5

/** What a client wants sent when its connection is lost. */
export type Will = {
  topic: string
  payload: Buffer
  qos: Qos
  retain: boolean
  /** The properties that its receivers get, as bytes. */
  properties?: Buffer | undefined
  /** After how many seconds its receivers need not get it any more. */
  expiry?: number | undefined
  /** How many seconds it waits for the client to come back. */
  delay?: number | undefined
}
export type ConnectPacket = {
  cmd: 'connect'
  level: Level
  /** Bridges do not want their own messages back. */
  isBridge: boolean
  clientId: string
  isClean: boolean
  /** In seconds; 0 is never. */
  keepAlive: number
  will: Will | undefined
  username: string
  password: string
  properties: Properties
}
export type PublishPacket = {
  cmd: 'publish'
  topic: string
  payload: Buffer
  qos: Qos
  retain: boolean
  /** 0 at QoS 0. */
  id: number
  /** The properties that its receivers get, as bytes. */
  properties?: Buffer | undefined
  /** In seconds. */
  expiry?: number | undefined
  alias?: number | undefined
}
export type AckPacket = {
  cmd: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp'
  id: number
  /** From 0x80 it is an error. */
  reason: number
}
/**
 * `nl` is no local, `rap` retain as published, `rh` retain handling. Bridges have the first two
 * without asking for them.
 */
export type Subscription = {
  filter: string
  qos: Qos
  nl?: boolean | undefined
  rap?: boolean | undefined
  rh?: number | undefined
  id?: number | undefined
}
export type SubscribePacket = { cmd: 'subscribe'; id: number; subscriptions: Subscription[] }
export type UnsubscribePacket = { cmd: 'unsubscribe'; id: number; filters: string[] }
export type DisconnectPacket = {
  cmd: 'disconnect'
  reason: number
  sessionExpiry: number | undefined
}

/** A packet that a client sends. */
export type Packet =
  | ConnectPacket
  | PublishPacket
  | AckPacket
  | SubscribePacket
  | UnsubscribePacket
  | DisconnectPacket
  | { cmd: 'pingreq' }
  | { cmd: 'auth' }
