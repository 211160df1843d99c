import type { Duplex } from 'node:stream'

const CONNECT = 0x10

/**
 * Stands in front of Aedes' reads and follows the packet headers. Aedes' parser gathers up to
 * 256 MiB for one packet, before sign-in too, and may handle what was sent along with CONNECT
 * after what came later: so the gate ends a connection at the header of a packet that is too long,
 * or that comes before CONNECT, and lets nothing behind CONNECT pass until `open`.
 */
export class PacketGate {
  readonly #conn: Duplex
  readonly #limit: number
  #state: 'connect' | 'held' | 'open' = 'connect'
  #behindConnect: Buffer | undefined
  /** Where in a packet the next byte belongs: type, length or body. */
  #part: 'type' | 'length' | 'body' = 'type'
  #shift = 0
  #length = 0

  constructor(conn: Duplex, limit: number) {
    this.#conn = conn
    this.#limit = limit
    const read = conn.read.bind(conn)
    // Streams call read(0) themselves, to ask for more without taking anything.
    conn.read = (size?: number) => (size === 0 ? read(0) : this.#next(read))
  }

  open(): void {
    this.#state = 'open'
  }

  /** Nothing more is handed over; the sender is slowed down by TCP. */
  hold(): void {
    this.#state = 'held'
  }

  #next(read: () => Buffer | null): Buffer | null {
    if (this.#state === 'held') return null
    let chunk = read()
    if (this.#behindConnect) {
      chunk = chunk ? Buffer.concat([this.#behindConnect, chunk]) : this.#behindConnect
      this.#behindConnect = undefined
    }
    if (chunk === null) return null
    const end = this.#follow(chunk)
    if (end === undefined) return null
    if (end === chunk.length) return chunk
    this.#behindConnect = chunk.subarray(end)
    return chunk.subarray(0, end)
  }

  /** How many bytes may pass; undefined when the connection was ended. */
  #follow(chunk: Buffer): number | undefined {
    let at = 0
    while (at < chunk.length) {
      if (this.#part === 'body') {
        const step = Math.min(this.#length, chunk.length - at)
        at += step
        this.#length -= step
        if (this.#length > 0) continue
        this.#part = 'type'
        if (this.#state !== 'connect') continue
        this.#state = 'held'
        return at
      }
      const byte = chunk[at++] ?? 0
      if (this.#part === 'type') {
        // [MQTT 3.1.0-1]
        if (this.#state === 'connect' && byte !== CONNECT) return this.#end('no CONNECT')
        this.#part = 'length'
        this.#shift = 0
        this.#length = 0
      } else {
        this.#length += (byte & 127) << this.#shift
        this.#shift += 7
        if (this.#length > this.#limit) return this.#end('packet too long')
        if (byte < 128) this.#part = this.#length > 0 ? 'body' : 'type'
        // [MQTT 2.2.3] at most four bytes.
        else if (this.#shift > 21) return this.#end('malformed length')
      }
    }
    return at
  }

  #end(reason: string): undefined {
    this.#conn.destroy(new Error(reason))
  }
}
