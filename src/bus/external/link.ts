import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, getCACertificates } from 'node:tls'
import {
  generate,
  type IConnackPacket,
  type IDisconnectPacket,
  type IPublishPacket,
  type ISubackPacket,
  type Packet,
  parser
} from 'mqtt-packet'
import { endsWithin } from '../../lib/within.ts'
import type { Message } from '../bus.ts'
import { reasonText } from './reasons.ts'

export type BrokerAddress = {
  host: string
  port: number
  username: string
  password: string
  /** Certificates of the trusted authorities; undefined: no TLS. */
  ca: string[] | undefined
}

export type LinkOptions = {
  address: BrokerAddress
  clientId: string
  /**
   * How long the broker keeps the session while nobody reads it; 0: each connection has a new one.
   */
  expirySeconds: number
  /** How many messages the broker may send before we acknowledge them. */
  receiveMaximum: number
  onPublish: (packet: IPublishPacket, link: Link) => void
  /** An abort ends the connection. */
  signal: AbortSignal
}

export type Properties = NonNullable<IPublishPacket['properties']>

/** An acknowledgement. */
type Answer = Pick<ISubackPacket, 'messageId' | 'properties'>
type Waiting = { resolve: () => void; reject: (error: Error) => void }

/**
 * A broker acknowledges a larger packet to the device, but does not send it to us. So this is more
 * than devices may send with the settings in deploy/, and what MQTT 5 adds. A message that is too
 * large to store is refused and recorded.
 */
const MAX_PACKET_BYTES = 2 * 1024 * 1024 + 1024
const KEEPALIVE_SECONDS = 20
const OPEN_LIMIT_MS = 10_000
const END_LIMIT_MS = 500
const version = { protocolVersion: 5 }

/** `ca` is the authority for mqtts; undefined: the authorities that the system trusts. */
export function brokerAddress(url: string, ca?: string): BrokerAddress {
  const { protocol, hostname, username, password } = new URL(url)
  const isTls = protocol === 'mqtts:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(brokerHost(url).split(':').at(-1)),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ca: isTls ? (ca === undefined ? systemAuthorities() : [ca]) : undefined
  }
}

/** Returns `host:port`. */
export function brokerHost(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  return `${hostname}:${port || (protocol === 'mqtts:' ? 8883 : 1883)}`
}

const systemAuthorities = (): string[] => [
  ...getCACertificates('default'),
  ...getCACertificates('system')
]

/** One MQTT 5 connection to a broker, from CONNECT to its end. */
export class Link {
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<Error>
  readonly #options: LinkOptions
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  readonly #queued: (() => void)[] = []
  readonly #connack = Promise.withResolvers<IConnackPacket>()
  #endReason: Error | undefined
  #isResumed = false
  #keptSeconds = 0
  #sendQuota = 65_535
  /** [MQTT5 3.2.2.3] What the broker takes. If it got more, it would end the connection. */
  #limits = { bytes: Number.POSITIVE_INFINITY, qos: 2, retains: true }
  #lastId = 0
  #acks: number[] = []
  #heardAt = performance.now()
  #keepalive: NodeJS.Timeout | undefined

  /** Rejects if the broker cannot be reached or refuses the connection. */
  static async open(options: LinkOptions): Promise<Link> {
    const link = new Link(options)
    const tooLate = setTimeout(
      () => link.destroy(new Error('the broker does not answer')),
      OPEN_LIMIT_MS
    )
    try {
      link.#welcome(await link.#connack.promise)
      return link
    } catch (error) {
      link.destroy(error as Error)
      throw error
    } finally {
      clearTimeout(tooLate)
    }
  }

  private constructor(options: LinkOptions) {
    this.#options = options
    const { host, port, ca } = options.address
    // TLS sends the server name only if we set it. It must not be an IP address.
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = ca ? connectTls({ host, port, ca, ...name }) : connectTcp({ host, port })
    this.#socket = socket
    socket.setNoDelay(true)
    options.signal.addEventListener('abort', () => this.destroy(new Error('given up')))
    const packets = parser(version)
    packets.on('packet', (packet) => this.#receive(packet))
    packets.on('error', (error: Error) => this.destroy(error))
    socket.on('data', (chunk) => {
      this.#heardAt = performance.now()
      if (!this.#endReason) packets.parse(chunk)
    })
    socket.on('error', (error) => this.destroy(error))
    this.ended = new Promise((resolve) => {
      socket.once('close', () => resolve(this.#close()))
    })
    socket.once(ca ? 'secureConnect' : 'connect', () => this.#greet())
  }

  /** Whether the broker had kept the session. */
  get isResumed(): boolean {
    return this.#isResumed
  }

  /** For how long the broker keeps the session. It may be shorter than asked for. */
  get keptSeconds(): number {
    return this.#keptSeconds
  }

  get isUp(): boolean {
    return this.#endReason === undefined
  }

  /** Rejects if the broker refuses, or grants only QoS 0, which has no acknowledgements. */
  subscribe(filter: string, options: { isOthersOnly: boolean }): Promise<void> {
    // Retained messages are old, so we do not ask for them (`rh`). Without `rap` a live message
    // never has the retain flag, so a message with the flag is an old one.
    const { isOthersOnly: nl } = options
    const subscriptions = [{ topic: filter, qos: 1 as const, nl, rap: false, rh: 2 }]
    return this.#ask((messageId) => ({ cmd: 'subscribe', messageId, subscriptions }))
  }

  unsubscribe(unsubscriptions: string[]): Promise<void> {
    return this.#ask((messageId) => ({ cmd: 'unsubscribe', messageId, unsubscriptions }))
  }

  /**
   * Resolves when the broker has acknowledged the message. With QoS 0 it only has to be written.
   */
  async publish(
    { topic, payload, qos, retain }: Message,
    properties: Properties = {}
  ): Promise<void> {
    if (qos > this.#limits.qos) throw new Error(`the broker does not take QoS ${qos}`)
    if (retain && !this.#limits.retains) throw new Error('the broker keeps no retained messages')
    const packet = { cmd: 'publish' as const, topic, payload, qos, retain, dup: false, properties }
    if (qos === 0) {
      const bytes = this.#fitting(packet)
      await new Promise<void>((resolve, reject) => {
        if (this.#endReason) return reject(this.#endReason)
        this.#socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      })
      return
    }
    await this.#turn()
    try {
      await this.#ask((messageId) => ({ ...packet, messageId }))
    } finally {
      this.#sendQuota++
      this.#queued.shift()?.()
    }
  }

  /** Sends PUBACK. Acknowledgements that come together share one write. */
  acknowledge(messageId: number): void {
    if (this.#acks.push(messageId) > 1) return
    process.nextTick(() => {
      const bytes = Buffer.alloc(this.#acks.length * 4)
      for (const [i, id] of this.#acks.entries()) {
        bytes.writeUInt16BE(PUBACK, i * 4)
        bytes.writeUInt16BE(id, i * 4 + 2)
      }
      this.#acks = []
      this.#write(bytes)
    })
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#heardAt = performance.now()
    this.#socket.resume()
  }

  /** Sends DISCONNECT. A kept session stays at the broker, unless `endsSession` is true. */
  async end({ endsSession = false } = {}): Promise<void> {
    if (this.isUp) {
      await new Promise(process.nextTick)
      const properties = endsSession ? { sessionExpiryInterval: 0 } : {}
      this.#write(generate({ cmd: 'disconnect', reasonCode: 0, properties }, version))
      this.#endReason = new Error('closed')
      this.resume()
      this.#socket.end()
    }
    await endsWithin(END_LIMIT_MS, this.ended)
    this.#socket.destroy()
    await this.ended
  }

  destroy(why: Error): void {
    this.#endReason ??= why
    this.#socket.destroy()
  }

  #greet(): void {
    const { clientId, expirySeconds, receiveMaximum, address } = this.#options
    this.#write(
      generate(
        {
          cmd: 'connect',
          protocolId: 'MQTT',
          protocolVersion: 5,
          clean: expirySeconds === 0,
          clientId,
          keepalive: KEEPALIVE_SECONDS,
          ...(address.username !== '' && {
            username: address.username,
            password: Buffer.from(address.password)
          }),
          properties: {
            sessionExpiryInterval: expirySeconds,
            receiveMaximum,
            maximumPacketSize: MAX_PACKET_BYTES
          }
        },
        version
      )
    )
  }

  #welcome({ reasonCode = 0, properties = {}, sessionPresent }: IConnackPacket): void {
    if (reasonCode !== 0) {
      throw new Error(`the broker refused: ${reasonText(reasonCode, properties.reasonString)}`)
    }
    if (properties.sharedSubscriptionAvailable === false) {
      throw new Error('the broker has no shared subscriptions')
    }
    this.#isResumed = sessionPresent
    this.#sendQuota = properties.receiveMaximum ?? 65_535
    this.#limits = {
      bytes: properties.maximumPacketSize ?? Number.POSITIVE_INFINITY,
      qos: properties.maximumQoS ?? 2,
      retains: properties.retainAvailable ?? true
    }
    this.#keptSeconds = properties.sessionExpiryInterval ?? this.#options.expirySeconds
    const seconds = properties.serverKeepAlive ?? KEEPALIVE_SECONDS
    if (seconds === 0) return
    this.#keepalive = setInterval(() => this.#keepAlive(seconds * 1500), seconds * 500)
    this.#keepalive.unref()
  }

  /** While reading is paused, no answer can arrive. */
  #keepAlive(silenceMs: number): void {
    this.#write(generate({ cmd: 'pingreq' }, version))
    if (this.#socket.isPaused() || performance.now() - this.#heardAt < silenceMs) return
    this.destroy(new Error('the broker does not answer'))
  }

  #receive(packet: Packet): void {
    switch (packet.cmd) {
      case 'connack':
        this.#connack.resolve(packet)
        break
      case 'publish':
        if (packet.qos < 2) this.#options.onPublish(packet, this)
        else this.destroy(new Error('the broker sends QoS 2, which was not asked for'))
        break
      case 'suback':
        this.#subscribed(packet, Number(packet.granted[0]))
        break
      case 'unsuback':
        this.#answered(packet, Number(packet.granted[0]))
        break
      case 'puback':
      case 'pubcomp':
        this.#answered(packet, packet.reasonCode)
        break
      case 'pubrec':
        if ((packet.reasonCode ?? 0) >= FAILED) this.#answered(packet, packet.reasonCode)
        else {
          const { messageId } = packet
          this.#write(generate({ cmd: 'pubrel', messageId, reasonCode: 0 }, version))
        }
        break
      case 'disconnect':
        this.destroy(new Error(`the broker ended the connection: ${endOf(packet)}`))
        break
    }
  }

  #subscribed(packet: Answer, granted: number): void {
    if (granted === 0) {
      const why = new Error('the broker grants QoS 0, but QoS 1 is needed')
      this.#waiting.get(packet.messageId ?? 0)?.reject(why)
    }
    this.#answered(packet, granted)
  }

  #answered({ messageId = 0, properties }: Answer, code = 0): void {
    const waiting = this.#waiting.get(messageId)
    this.#waiting.delete(messageId)
    if (code < FAILED) waiting?.resolve()
    else
      waiting?.reject(
        new Error(`the broker refused: ${reasonText(code, properties?.reasonString)}`)
      )
  }

  #ask(packet: (messageId: number) => Packet): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#endReason) return reject(this.#endReason)
      do this.#lastId = (this.#lastId % 65_535) + 1
      while (this.#waiting.has(this.#lastId))
      const bytes = this.#fitting(packet(this.#lastId))
      this.#waiting.set(this.#lastId, { resolve, reject })
      this.#write(bytes)
    })
  }

  #fitting(packet: Packet): Buffer {
    const bytes = generate(packet, version)
    if (bytes.length <= this.#limits.bytes) return bytes
    throw new Error(`the broker takes no packet above ${this.#limits.bytes} bytes`)
  }

  /** [MQTT5 4.9] Waits until the broker allows one more message without an acknowledgement. */
  async #turn(): Promise<void> {
    if (this.#sendQuota === 0) await new Promise<void>((resolve) => this.#queued.push(resolve))
    this.#sendQuota--
  }

  #write(bytes: Buffer): void {
    if (this.isUp) this.#socket.write(bytes)
  }

  #close(): Error {
    clearInterval(this.#keepalive)
    this.#endReason ??= new Error('the broker ended the connection')
    this.#connack.reject(this.#endReason)
    for (const { reject } of this.#waiting.values()) reject(this.#endReason)
    this.#waiting.clear()
    for (const go of this.#queued.splice(0)) go()
    return this.#endReason
  }
}

const endOf = ({ reasonCode = 0, properties }: IDisconnectPacket): string =>
  reasonText(reasonCode, properties?.reasonString)

const PUBACK = 0x4002
const FAILED = 0x80
