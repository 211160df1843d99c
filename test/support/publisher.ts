import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connectPacket, publishPacket, pubrelPacket } from './mqtt.ts'

type Qos = 1 | 2
type Unanswered = { id: number; number: number; isReleased: boolean }
type Options = { clientId: string; password: string; topic: string; qos: Qos; inFlight: number }

const [PUBACK, PUBREC, PUBCOMP] = [0x40, 0x50, 0x70]

/**
 * Publishes growing numbers from a kept session. When it connects again, it first repeats, in order,
 * what was not answered: [MQTT 4.4.0-1] and [MQTT 4.6.0]. Client libraries do not do this exactly.
 */
export class Publisher {
  readonly acknowledged = new Set<number>()
  readonly #options: Options
  #unanswered: Unanswered[] = []
  #socket: Socket | undefined
  #next = 0
  #lastId = 0
  #isSending = false

  constructor(options: Options) {
    this.#options = options
  }

  get topic(): string {
    return this.#options.topic
  }

  get qos(): Qos {
    return this.#options.qos
  }

  get sent(): number {
    return this.#next
  }

  get isIdle(): boolean {
    return this.#unanswered.length === 0
  }

  /** Resolves at CONNACK. */
  async connect(port: number): Promise<void> {
    const { clientId, password } = this.#options
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket = socket
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(connectPacket({ id: clientId, clean: false, password }))
    const [connack] = (await once(socket, 'data')) as [Buffer]
    if (connack[3] !== 0) throw new Error(`CONNECT refused with ${connack[3]}`)
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      // Every answer has four bytes.
      for (; rest.length >= 4; rest = rest.subarray(4)) {
        this.#answered(rest[0] ?? 0, rest.readUInt16BE(2))
      }
    })
    for (const { id, number, isReleased } of this.#unanswered) {
      socket.write(isReleased ? pubrelPacket(id) : this.#packet(id, number, true))
    }
  }

  start(): void {
    this.#isSending = true
    while (this.#unanswered.length < this.#options.inFlight) this.#send()
  }

  stop(): void {
    this.#isSending = false
  }

  end(): void {
    this.#socket?.destroy()
  }

  #send(): void {
    this.#lastId = (this.#lastId % 65_535) + 1
    const [id, number] = [this.#lastId, this.#next++]
    this.#unanswered.push({ id, number, isReleased: false })
    this.#socket?.write(this.#packet(id, number, false))
  }

  #packet(id: number, number: number, dup: boolean): Buffer {
    const { topic, qos } = this.#options
    return publishPacket(topic, String(number), { qos, id, dup })
  }

  #answered(type: number, id: number): void {
    const message = this.#unanswered.find((each) => each.id === id)
    if (!message) return
    if (type === PUBACK || type === PUBREC) this.acknowledged.add(message.number)
    if (type === PUBREC) {
      message.isReleased = true
      this.#socket?.write(pubrelPacket(id))
    }
    if (type !== PUBACK && type !== PUBCOMP) return
    this.#unanswered = this.#unanswered.filter((each) => each !== message)
    if (this.#isSending) this.#send()
  }
}
