import type { Duplex } from 'node:stream'
import type { Flow } from './in-flight.ts'
import type { TenantTurns } from './tenant-turns.ts'
import { isSpoken } from './versions.ts'

const CONNECT = 0x10
/** The longest name of a protocol, `MQIsdp`, with its length in front. */
const MAX_NAME = 8
const PUBLISH = 3
const SUBSCRIBE = 8
const UNSUBSCRIBE = 10
/** All its filters are read in one go. */
const MAX_SUBSCRIBE_BYTES = 32 * 1024
/** Handed over in one turn: some packets, each a step, and those that are much work more. */
const STEPS_PER_PIECE = 16
const STEP_BYTES = 2048
const FILTER_BYTES = 64
/** So much is handed over until Aedes, which has handled what came before, asks for more. */
const MAX_AHEAD_BYTES = 64 * 1024
/** A sender may stop in the middle of a packet for so long. */
const STALL_MS = 60_000

/** How packets pass, once their sender is known. */
type Passage = {
  flow: Flow
  turns: TenantTurns
  tenant: string
  parse: (bytes: Buffer) => void
}

/**
 * Stands in front of Aedes' reads and follows the packet headers. Aedes' parser gathers up to
 * 256 MiB for one packet, before sign-in too, and may handle what was sent along with CONNECT
 * after what came later: so the gate ends a connection at the header of a packet that is too long,
 * or that comes before CONNECT, and lets nothing behind CONNECT pass until `open`. A CONNECT of a
 * version that the broker does not speak goes to `refuse`, and what follows it nowhere. Then
 * packets pass in the turns of their tenant, a few at a time, and the body of a message when there
 * is room for it.
 */
export class PacketGate {
  readonly #conn: Duplex
  readonly #limit: number
  readonly #refuse: (level: number) => void
  readonly #read: () => Buffer | null
  #passage: Passage | undefined
  #isAsked = false
  #isAskedAgain = false
  /** Of what is handed over in this turn. */
  #steps = 0
  #ahead = 0
  #state: 'connect' | 'held' | 'open' | 'refused' = 'connect'
  /** The beginning of CONNECT, until the level of the protocol is known. */
  #head: number[] | undefined = []
  #behindConnect: Buffer | undefined
  /** Where in a packet the next byte belongs: type, length or body. */
  #part: 'type' | 'length' | 'body' = 'type'
  #type = 0
  #shift = 0
  #length = 0
  /** The length of a message for which there is no room yet. */
  #waiting = 0
  #stall: NodeJS.Timeout | undefined

  constructor(conn: Duplex, { limit, refuse }: { limit: number; refuse: (level: number) => void }) {
    this.#conn = conn
    this.#limit = limit
    this.#refuse = refuse
    const read = conn.read.bind(conn)
    this.#read = read
    // Streams call read(0) themselves, to ask for more without taking anything.
    conn.read = (size?: number) => {
      if (size === 0) return read(0)
      if (this.#state !== 'open') return this.#next()
      this.#ahead = 0
      this.ask()
      return null
    }
  }

  open(passage: Passage): void {
    this.#passage = passage
    this.#state = 'open'
  }

  /** For the next turn. */
  ask(): void {
    this.#isAskedAgain = true
    if (this.#isAsked || !this.#passage) return
    this.#isAsked = true
    const { turns, tenant } = this.#passage
    turns.read(tenant, () => this.#handOver())
  }

  /** Nothing more is handed over; the sender is slowed down by TCP. */
  hold(): void {
    this.#state = 'held'
  }

  /** The oldest message that passed is handled. */
  settled(): void {
    this.#passage?.flow.release()
  }

  /** Everything that passed is handled, or never will be. */
  end(): void {
    clearTimeout(this.#stall)
    this.#state = 'held'
    this.#passage?.flow.end()
  }

  /** Returns how many steps it takes. */
  #handOver(): number {
    this.#steps = 0
    const piece = this.#next()
    // What is asked for while Aedes parses has to wait until it is done.
    this.#isAskedAgain = false
    if (piece) {
      this.#ahead += piece.length
      this.#passage?.parse(piece)
      if (this.#steps >= STEPS_PER_PIECE && this.#ahead < MAX_AHEAD_BYTES) this.#isAskedAgain = true
    }
    this.#isAsked = false
    if (this.#isAskedAgain) this.ask()
    return 1 + this.#steps
  }

  #next(): Buffer | null {
    if (this.#state === 'held' || !this.#hasRoom()) return null
    let chunk = this.#read()
    // Read all the same: closing with unread bytes would take the refusal away from the client.
    if (this.#state === 'refused') return null
    if (this.#behindConnect) {
      chunk = chunk ? Buffer.concat([this.#behindConnect, chunk]) : this.#behindConnect
      this.#behindConnect = undefined
    }
    if (chunk === null) return null
    const end = this.#follow(chunk)
    this.#watch()
    if (end === undefined) return null
    if (end === chunk.length) return chunk
    // Put back, because a stream that has given out everything ends.
    if (this.#state === 'open') this.#conn.unshift(chunk.subarray(end))
    else this.#behindConnect = chunk.subarray(end)
    return end === 0 ? null : chunk.subarray(0, end)
  }

  #hasRoom(): boolean {
    if (this.#waiting > 0 && this.#passage?.flow.take(this.#waiting)) this.#waiting = 0
    return this.#waiting === 0
  }

  /** How many bytes may pass; undefined when the connection was ended. */
  #follow(chunk: Buffer): number | undefined {
    let at = 0
    while (at < chunk.length) {
      if (this.#part === 'type' && this.#steps >= STEPS_PER_PIECE) return at
      if (this.#part === 'body') {
        if (!this.#hasRoom()) return at
        const step = Math.min(this.#length, chunk.length - at)
        if (this.#head && !this.#readHead(chunk.subarray(at, at + step))) return undefined
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
        this.#type = byte >> 4
        this.#shift = 0
        this.#length = 0
      } else {
        this.#length += (byte & 127) << this.#shift
        this.#shift += 7
        if (this.#length > this.#longest()) return this.#end('packet too long')
        if (byte < 128) this.#begin()
        // [MQTT 2.2.3] at most four bytes.
        else if (this.#shift > 21) return this.#end('malformed length')
      }
    }
    return at
  }

  /** False when the connection was refused. */
  #readHead(bytes: Buffer): boolean {
    const head = this.#head ?? []
    for (const byte of bytes) {
      head.push(byte)
      const levelAt = 2 + (head[0] ?? 0) * 256 + (head[1] ?? 0)
      if (head.length < 2 || (head.length <= levelAt && levelAt <= MAX_NAME)) continue
      this.#head = undefined
      // The parser refuses what is no name of MQTT.
      if (levelAt > MAX_NAME || isSpoken(byte)) return true
      this.#state = 'refused'
      this.#refuse(byte)
      return false
    }
    return true
  }

  #begin(): void {
    this.#part = this.#length > 0 ? 'body' : 'type'
    if (this.#type === PUBLISH) this.#waiting = this.#length
    const bytesPerStep = this.#isOfFilters() ? FILTER_BYTES : STEP_BYTES
    this.#steps += 1 + Math.floor(this.#length / bytesPerStep)
  }

  #longest(): number {
    return this.#isOfFilters() ? Math.min(this.#limit, MAX_SUBSCRIBE_BYTES) : this.#limit
  }

  #isOfFilters(): boolean {
    return this.#type === SUBSCRIBE || this.#type === UNSUBSCRIBE
  }

  /** Half a packet takes memory, and room from others. */
  #watch(): void {
    const isHalf = this.#state === 'open' && this.#part !== 'type' && this.#waiting === 0
    if (isHalf) {
      this.#stall ??= setTimeout(() => this.#end('half a packet'), STALL_MS).unref()
      this.#stall.refresh()
    } else if (this.#stall) {
      clearTimeout(this.#stall)
      this.#stall = undefined
    }
  }

  #end(reason: string): undefined {
    this.#conn.destroy(new Error(reason))
  }
}
