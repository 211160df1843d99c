import type { Client } from 'aedes'

type Done = (error?: Error | null) => void
/** A private part of the client of Aedes. It calls `done` when the receiver reads again. */
type Draining = { waitForDrain?(done: () => void): void }

const PUBACK = 0x40
const PUBACK_BYTES = 4
const connectionEnded = new Error('the connection ended')

/** [MQTT 3.4] The acknowledgements of one connection. Those that come together share one write. */
export class Pubacks {
  readonly #client: Client & Draining
  #ids: number[] = []
  #dones: Done[] = []

  constructor(client: Client) {
    this.#client = client
  }

  /** Calls `done` when the acknowledgement is written and the client reads. */
  add(id: number, done: Done): void {
    this.#ids.push(id)
    this.#dones.push(done)
    if (this.#ids.length === 1) process.nextTick(() => this.#write())
  }

  #write(): void {
    const [ids, dones] = [this.#ids, this.#dones]
    this.#ids = []
    this.#dones = []
    const { conn, closed } = this.#client
    if (closed || conn.destroyed) {
      for (const done of dones) done(connectionEnded)
      return
    }
    const bytes = Buffer.allocUnsafe(ids.length * PUBACK_BYTES)
    let at = 0
    for (const id of ids) {
      bytes[at++] = PUBACK
      bytes[at++] = 2
      bytes[at++] = id >> 8
      bytes[at++] = id & 255
    }
    const goOn = () => {
      for (const done of dones) done()
    }
    if (conn.write(bytes)) goOn()
    else this.#client.waitForDrain?.(goOn)
  }
}
