import type { Duplex } from 'node:stream'
import type { Flow } from './in-flight.ts'
import type { TenantTurns } from './tenant-turns.ts'
import { isSpoken } from './versions.ts'

const CONNECT = 0x10
/** The longest name of the protocol, `MQIsdp`, with its length in front. */
const MAX_NAME_BYTES = 8
const PUBLISH = 3
const SUBSCRIBE = 8
const UNSUBSCRIBE = 10
/** Smaller than other packets, because all filters of a packet are handled at once. */
const MAX_SUBSCRIBE_BYTES = 32 * 1024
/** Steps of one turn. A small packet is one step, and a large one is several. */
const STEPS_PER_PIECE = 25
const BYTES_PER_STEP = 2048
const FILTER_BYTES_PER_STEP = 64
/** So much is handed over before Aedes has handled all of it and asks for more. */
const MAX_AHEAD_BYTES = 64 * 1024
/** How long a sender may stop in the middle of a packet. */
const STALL_MS = 60_000

/** How packets pass after sign-in. */
type Passage = {
  flow: Flow
  turns: TenantTurns
  tenant: string
  parse: (bytes: Buffer) => void
}

/**
 * Takes the place of the reads of Aedes, and follows the packet headers. The parser of Aedes
 * collects up to 256 MiB for one packet, even before sign-in, and may handle packets that came with
 * CONNECT after later ones. So the gate ends a connection at the header of a packet that is too
 * long or that comes before CONNECT, and nothing behind CONNECT passes until `open`. If the broker
 * does not speak the version of a CONNECT, the gate calls `refuse` and drops everything after it.
 * After `open` packets pass in the turns of their tenant, a few at a time. The body of a message
 * passes when there is room for it.
 */
export class PacketGate {
  readonly #conn: Duplex
  readonly #limit: number
  readonly #refuse: (level: number) => void
  readonly #read: () => Buffer | null
  #passage: Passage | undefined
  #isAsked = false
  #isAskedAgain = false
  /** Of the packets that are handed over in this turn. */
  #steps = 0
  /** Bytes that were handed over since Aedes asked for more. */
  #ahead = 0
  #state: 'connect' | 'held' | 'open' | 'refused' = 'connect'
  /** The beginning of CONNECT, until the protocol level is known. */
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

  /** Asks for a turn to hand over more. */
  ask(): void {
    this.#isAskedAgain = true
    if (this.#isAsked || !this.#passage) return
    this.#isAsked = true
    const { turns, tenant } = this.#passage
    turns.read(tenant, () => this.#handOver())
  }

  /** Hands over nothing more. TCP then slows down the sender. */
  hold(): void {
    this.#state = 'held'
  }

  /** The oldest message that passed was handled. */
  settled(): void {
    this.#passage?.flow.release()
  }

  /** Everything that passed was handled, or never will be. */
  end(): void {
    clearTimeout(this.#stall)
    this.#state = 'held'
    this.#passage?.flow.end()
  }

  /** Returns how many steps it took. */
  #handOver(): number {
    this.#steps = 0
    const piece = this.#next()
    // If Aedes asks for more while it parses, it has to wait until it is done.
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
    // Read on: if the socket is closed with unread bytes, the client may not get the refusal.
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
    // Put the rest back, because a stream that has given out everything may end.
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
      if (head.length < 2 || (head.length <= levelAt && levelAt <= MAX_NAME_BYTES)) continue
      this.#head = undefined
      // The parser refuses other protocol names.
      if (levelAt > MAX_NAME_BYTES || isSpoken(byte)) return true
      this.#state = 'refused'
      this.#refuse(byte)
      return false
    }
    return true
  }

  #begin(): void {
    this.#part = this.#length > 0 ? 'body' : 'type'
    if (this.#type === PUBLISH) this.#waiting = this.#length
    const bytesPerStep = this.#isOfFilters() ? FILTER_BYTES_PER_STEP : BYTES_PER_STEP
    this.#steps += 1 + Math.floor(this.#length / bytesPerStep)
  }

  #longest(): number {
    return this.#isOfFilters() ? Math.min(this.#limit, MAX_SUBSCRIBE_BYTES) : this.#limit
  }

  #isOfFilters(): boolean {
    return this.#type === SUBSCRIBE || this.#type === UNSUBSCRIBE
  }

  /** An incomplete packet takes memory, and room from others. */
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
