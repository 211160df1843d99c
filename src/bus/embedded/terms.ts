import { isWithinTopicLimits } from '../../lib/topic.ts'
import type { Properties } from './wire/properties.ts'
import { writeProperties, writeUserProperty } from './wire/properties.ts'
import { BadPacket, protocolError, reasons } from './wire/reasons.ts'

/** Each topic that has an alias stays in memory. */
export const ALIASES = 32
const MAX_SESSION_EXPIRY = 0xffff_ffff
const MAX_RECEIVE = 65_535
/** More than everything else in a PUBLISH: its properties are limited. */
const ALIAS_ROOM_BYTES = 64 * 1024
/** Without this a text of the broker could make an acknowledgement too large for its client. */
const ACK_HEAD_BYTES = 16

/** What a client of MQTT 5 asked for in CONNECT, and the topic aliases of its connection. */
export class Terms {
  /** In seconds. 0: the session ends with the connection. */
  sessionExpiry: number
  /** So many messages of QoS 1 and 2 may wait for an acknowledgement of the client. */
  readonly receiveMaximum: number
  readonly maximumPacketSize: number
  /** Messages of QoS 1 of the client that are not acknowledged. */
  unacknowledged = 0
  readonly #wantsProblems: boolean
  readonly #aliasMaximum: number
  readonly #arriving = new Map<number, string>()
  readonly #sent = new Map<string, number>()

  constructor(properties: Properties, longestSession: number) {
    this.sessionExpiry = Math.min(properties.sessionExpiry ?? 0, longestSession)
    this.receiveMaximum = properties.receiveMaximum ?? MAX_RECEIVE
    this.maximumPacketSize = properties.maximumPacketSize ?? Number.POSITIVE_INFINITY
    this.#wantsProblems = properties.requestProblem !== 0
    this.#aliasMaximum = Math.min(properties.topicAliasMaximum ?? 0, ALIASES)
  }

  /** Undefined: the session has no end of its own. */
  get expiresAfter(): number | undefined {
    return this.sessionExpiry === MAX_SESSION_EXPIRY ? undefined : this.sessionExpiry
  }

  /** [MQTT5 3.14.2.2.2] */
  changeExpiry(seconds: number, longestSession: number): void {
    if (this.sessionExpiry === 0 && seconds > 0) throw protocolError('the session has no expiry')
    this.sessionExpiry = Math.min(seconds, longestSession)
  }

  /** The whole topic of a PUBLISH that may have an alias. */
  topicOf(topic: string, alias: number | undefined, enter: (topic: string) => string): string {
    if (alias === undefined) {
      if (topic === '') throw protocolError('neither a topic nor an alias') // [MQTT-4.7.3-1]
      return enter(topic)
    }
    // [MQTT-3.3.2-9]
    if (alias > ALIASES) throw new BadPacket(reasons.badTopicAlias, 'topic alias too large')
    if (topic === '') {
      const known = this.#arriving.get(alias)
      if (known === undefined) throw protocolError('unknown topic alias')
      return known
    }
    const whole = enter(topic)
    if (isWithinTopicLimits(whole)) this.#arriving.set(alias, whole)
    else this.#arriving.delete(alias)
    return whole
  }

  get hasAliases(): boolean {
    return this.#aliasMaximum > 0
  }

  /** The alias of a topic that is sent; undefined: it has none. New ones go with the topic. */
  aliasFor(topic: string, payloadBytes: number): { alias: number; isNew: boolean } | undefined {
    const known = this.#sent.get(topic)
    if (known !== undefined) return { alias: known, isNew: false }
    const isFull = this.#sent.size >= this.#aliasMaximum
    // A packet that may be too large is not sent, and then the client would not know the alias.
    if (isFull || topic.length * 3 + payloadBytes + ALIAS_ROOM_BYTES > this.maximumPacketSize) {
      return undefined
    }
    const alias = this.#sent.size + 1
    this.#sent.set(topic, alias)
    return { alias, isNew: true }
  }

  /**
   * [MQTT-3.1.2-29] The properties of an acknowledgement that tell why; undefined if the client
   * does not want them or cannot take them.
   */
  explanation(text: string | undefined, isStored = true): Buffer | undefined {
    if (text === undefined || !this.#wantsProblems) return undefined
    const bytes = Buffer.concat([
      writeProperties({ reasonString: text }),
      ...(isStored ? [] : [writeUserProperty('stored', 'no')])
    ])
    return bytes.length + ACK_HEAD_BYTES <= this.maximumPacketSize ? bytes : undefined
  }
}
