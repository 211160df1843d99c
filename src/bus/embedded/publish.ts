import type { Message } from '../bus.ts'
import type { Chosen } from './shares.ts'
import type { PublishHead } from './wire/encode.ts'

/** A message on its way to its receivers. */
export type Publish = Message & {
  /** Its place in the order of all messages. A message that is not kept gets it in `FanOut`. */
  seq?: number
  /** The name of the client that sent it. */
  sender?: string | undefined
  /** The properties that receivers with MQTT 5 get, as bytes. */
  properties?: Buffer | undefined
  /** A time. After it nobody gets the message. */
  expires?: number | undefined
  /** Of connected kept sessions for which the message already has a packet id. */
  feeds?: { pass(seq: number): void }[]
  /** Who gets it through shared subscriptions. */
  chosen?: Chosen<object, object> | undefined
  /** The packet up to the payload, by level, QoS and retain. It is the same for most receivers. */
  heads?: PublishHead[]
}

/** Most filters have no identifier, so most messages have no list of them. */
export function pushed(ids: number[] | undefined, id: number | undefined): number[] | undefined {
  if (id === undefined) return ids
  if (!ids) return [id]
  ids.push(id)
  return ids
}
