import { Fifo } from '../../lib/fifo.ts'

type Sending = { bytes: number; send: (id: number) => void }

const MAX_MESSAGE_ID = 65_535
/** So many messages wait for their acknowledgement, whatever the client allows. */
const MOST = 1000
/** A client for which more bytes wait loses its connection. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024
const MESSAGE_OVERHEAD_BYTES = 256

/**
 * The messages of QoS 1 and 2 that are sent to a client of MQTT 5 without a kept session. It gets no
 * more than it allows [MQTT-3.3.4-9]; the others wait in memory.
 */
export class Window {
  readonly #size: number
  readonly #inFlight = new Set<number>()
  readonly #waiting = new Fifo<Sending>()
  #waitingBytes = 0
  #lastId = 0

  constructor(receiveMaximum: number) {
    this.#size = Math.min(receiveMaximum, MOST)
  }

  /** Calls `send` with a packet id, now or later. False: too many wait. */
  send(bytes: number, send: (id: number) => void): boolean {
    if (this.#inFlight.size < this.#size && this.#waiting.size === 0) {
      send(this.#nextId())
      return true
    }
    const size = bytes + MESSAGE_OVERHEAD_BYTES
    if (this.#waitingBytes + size > MAX_WAITING_BYTES) return false
    this.#waitingBytes += size
    this.#waiting.push({ bytes: size, send })
    return true
  }

  has(id: number): boolean {
    return this.#inFlight.has(id)
  }

  acknowledge(id: number): void {
    if (!this.#inFlight.delete(id)) return
    while (this.#inFlight.size < this.#size) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#waitingBytes -= next.bytes
      next.send(this.#nextId())
    }
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % MAX_MESSAGE_ID) + 1
    while (this.#inFlight.has(this.#lastId))
    this.#inFlight.add(this.#lastId)
    return this.#lastId
  }
}
