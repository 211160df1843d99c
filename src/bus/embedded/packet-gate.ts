import type { Duplex } from 'node:stream'
import type { Flow } from './in-flight.ts'
import type { TenantTurns } from './tenant-turns.ts'
import { isSpoken } from './versions.ts'
import { BadPacket, malformed, protocolError, reasons } from './wire/reasons.ts'

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
/** So much is handed over before all of it is handled. */
const MAX_AHEAD_BYTES = 64 * 1024
/** How long a sender may stop in the middle of a packet. */
const STALL_MS = 60_000

/** How packets pass after sign-in. */
type Passage = {
  flow: Flow
  turns: TenantTurns
  tenant: string
}
type Options = {
  limit: number
  /** Gets each packet. `handled` is called once when the work for the packet is done. */
  take: (header: number, body: Buffer, handled: () => void) => void
  /** The client speaks a version that the broker does not. */
  refuse: (level: number) => void
  /** The connection must end. */
  fail: (error: BadPacket) => void
}

const nothing = Buffer.alloc(0)

/**
 * Reads a connection and cuts it into packets. It fails at the header of a packet that is too long
 * or that comes before CONNECT, and nothing behind CONNECT passes until `open`. If the broker does
 * not speak the version of a CONNECT, the gate calls `refuse` and drops everything after it. After
 * `open` packets pass in the turns of their tenant, a few at a time. The body of a message is read
 * when there is room for it.
 */
export class PacketGate {
  readonly #conn: Duplex
  readonly #options: Options
  readonly #handled = () => this.#settleOne()
  readonly #filtersHandled = () => this.#settleFilters()
  #passage: Passage | undefined
  #isAsked = false
  /** Of the packets that are handed over in this turn. */
  #steps = 0
  /** Packets that were handed over and are not handled, and their bytes. */
  #unhandled = 0
  #ahead = 0
  /** Filters are being written to the disk. What the client sends next must find them there. */
  #isAlone = false
  #state: 'connect' | 'held' | 'open' | 'refused' = 'connect'
  /** Where in a packet the next byte belongs: type, length or body. */
  #part: 'type' | 'length' | 'body' = 'type'
  #header = 0
  #shift = 0
  #length = 0
  /** The part of a body that has come, if it comes in several pieces. */
  #body = nothing
  #bodyBytes = 0
  /** The length of a message for which there is no room yet. */
  #waiting = 0
  #stall: NodeJS.Timeout | undefined

  constructor(conn: Duplex, options: Options) {
    this.#conn = conn
    this.#options = options
    conn.on('readable', () => this.#readable())
  }

  open(passage: Passage): void {
    if (this.#state === 'refused') return
    this.#passage = passage
    this.#state = 'open'
    this.ask()
  }

  /** Asks for a turn to hand over more. */
  ask(): void {
    if (this.#isAsked || this.#state !== 'open' || !this.#passage) return
    this.#isAsked = true
    const { turns, tenant } = this.#passage
    turns.read(tenant, () => this.#handOver())
  }

  /** Hands over nothing more. TCP then slows down the sender. */
  hold(): void {
    this.#state = 'held'
  }

  /**
   * Reads on and drops everything: if a socket is closed with unread bytes, the client may not get
   * what was written last.
   */
  drop(): void {
    this.#state = 'refused'
    this.#body = nothing
    this.#conn.removeAllListeners('readable')
    this.#conn.resume()
  }

  /** The oldest message that passed was handled. */
  settled(): void {
    this.#passage?.flow.release()
  }

  /** A message that passed came too fast. */
  slowDown(): void {
    this.#passage?.flow.slowDown()
  }

  /** Everything that passed was handled, or never will be. */
  end(): void {
    clearTimeout(this.#stall)
    this.#state = 'held'
    this.#body = nothing
    this.#passage?.flow.end()
  }

  #readable(): void {
    if (this.#state === 'open') this.ask()
    else if (this.#state === 'connect') this.#pass()
  }

  /** Returns how many steps it took. */
  #handOver(): number {
    this.#steps = 0
    const isMore = this.#pass()
    this.#isAsked = false
    if (isMore) this.ask()
    return 1 + this.#steps
  }

  #settleOne(): void {
    if (--this.#unhandled > 0) return
    const wasFull = this.#ahead >= MAX_AHEAD_BYTES
    this.#ahead = 0
    if (wasFull) this.ask()
  }

  #settleFilters(): void {
    this.#isAlone = false
    this.#settleOne()
    this.ask()
  }

  /** Hands over what may pass now; true if there is more. */
  #pass(): boolean {
    if (!this.#mayPass() || !this.#hasRoom()) return false
    const chunk: Buffer | null = this.#conn.read()
    if (chunk === null) return false
    let end = 0
    try {
      end = this.#follow(chunk)
    } catch (error) {
      this.#state = 'held'
      this.#options.fail(error as BadPacket)
      return false
    }
    this.#watch()
    // Put the rest back, because a stream that has given out everything may end.
    if (end < chunk.length && !this.#conn.destroyed) this.#conn.unshift(chunk.subarray(end))
    return end < chunk.length
  }

  #mayPass(): boolean {
    if (this.#state === 'open') return this.#ahead < MAX_AHEAD_BYTES && !this.#isAlone
    return this.#state === 'connect'
  }

  #hasRoom(): boolean {
    if (this.#waiting > 0 && this.#passage?.flow.take(this.#waiting)) this.#waiting = 0
    return this.#waiting === 0
  }

  /** Hands over the packets of the chunk; returns how many of its bytes may pass now. */
  #follow(chunk: Buffer): number {
    let at = 0
    while (at < chunk.length) {
      if (this.#state === 'refused') return chunk.length
      if (this.#part === 'body') {
        if (!this.#hasRoom()) return at
        at += this.#readBody(chunk, at)
      } else if (this.#part === 'type') {
        if (this.#steps >= STEPS_PER_PIECE || !this.#mayPass()) return at
        this.#readType(chunk[at++] ?? 0)
      } else this.#readLength(chunk[at++] ?? 0)
    }
    return at
  }

  #readType(byte: number): void {
    // [MQTT 3.1.0-1]
    if (this.#state === 'connect' && byte !== CONNECT) throw protocolError('no CONNECT')
    this.#header = byte
    this.#part = 'length'
    this.#shift = 0
    this.#length = 0
  }

  #readLength(byte: number): void {
    this.#length += (byte & 127) << this.#shift
    this.#shift += 7
    if (this.#length > this.#longest()) throw new BadPacket(reasons.tooLarge, 'packet too long')
    if (byte < 128) this.#begin()
    // [MQTT 2.2.3] at most four bytes.
    else if (this.#shift > 21) throw malformed('malformed length')
  }

  #begin(): void {
    const isOfFilters = this.#isOfFilters()
    const bytesPerStep = isOfFilters ? FILTER_BYTES_PER_STEP : BYTES_PER_STEP
    this.#steps += 1 + Math.floor(this.#length / bytesPerStep)
    this.#part = 'body'
    if (this.#length === 0) this.#handle(nothing)
    else if (this.#header >> 4 === PUBLISH) this.#waiting = this.#length
  }

  /** Returns how many bytes of the chunk belong to the packet. */
  #readBody(chunk: Buffer, at: number): number {
    const missing = this.#length - this.#bodyBytes
    const step = Math.min(missing, chunk.length - at)
    const piece = chunk.subarray(at, at + step)
    if (this.#bodyBytes === 0 && step === missing) {
      if (this.#state !== 'connect' || this.#isSpokenIn(piece)) this.#handle(piece)
      return step
    }
    this.#collect(piece)
    const body = this.#body.subarray(0, this.#bodyBytes)
    if (this.#state === 'connect' && !this.#isSpokenIn(body)) return step
    if (step === missing) this.#handle(body)
    return step
  }

  #collect(piece: Buffer): void {
    const bytes = this.#bodyBytes + piece.length
    if (bytes > this.#body.length) {
      const grown = Buffer.allocUnsafeSlow(
        Math.min(this.#length, Math.max(bytes, 2 * this.#body.length))
      )
      this.#body.copy(grown, 0, 0, this.#bodyBytes)
      this.#body = grown
    }
    piece.copy(this.#body, this.#bodyBytes)
    this.#bodyBytes = bytes
  }

  #handle(body: Buffer): void {
    this.#part = 'type'
    this.#body = nothing
    this.#bodyBytes = 0
    // [MQTT 3.1.0-2] What follows CONNECT waits for `open`.
    if (this.#state === 'connect') this.#state = 'held'
    this.#unhandled++
    this.#ahead += body.length
    this.#isAlone = this.#isOfFilters()
    const handled = this.#isAlone ? this.#filtersHandled : this.#handled
    this.#options.take(this.#header, body, handled)
  }

  /** False when the connection was refused. True while its version is not known. */
  #isSpokenIn(connect: Buffer): boolean {
    if (connect.length < 2) return true
    const levelAt = 2 + connect.readUInt16BE()
    const level = connect[levelAt]
    // The decoder refuses other protocol names.
    if (levelAt > MAX_NAME_BYTES || level === undefined || isSpoken(level)) return true
    this.drop()
    this.#options.refuse(level)
    return false
  }

  #longest(): number {
    const { limit } = this.#options
    return this.#isOfFilters() ? Math.min(limit, MAX_SUBSCRIBE_BYTES) : limit
  }

  #isOfFilters(): boolean {
    const type = this.#header >> 4
    return type === SUBSCRIBE || type === UNSUBSCRIBE
  }

  /** An incomplete packet takes memory, and room from others. */
  #watch(): void {
    const isHalf = this.#state === 'open' && this.#part !== 'type' && this.#waiting === 0
    if (isHalf) {
      this.#stall ??= setTimeout(
        () => this.#options.fail(malformed('half a packet')),
        STALL_MS
      ).unref()
      this.#stall.refresh()
    } else if (this.#stall) {
      clearTimeout(this.#stall)
      this.#stall = undefined
    }
  }
}
