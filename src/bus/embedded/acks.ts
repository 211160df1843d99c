import { type Ack, writeAcks } from './wire/encode.ts'

type Line = {
  readonly isClosed: boolean
  write(bytes: Buffer): void
  drained(): Promise<void> | undefined
}
type Done = () => void

/** [MQTT 3.4] The acknowledgements of one connection. Those that come together share one write. */
export class Acks {
  readonly #line: Line
  #waiting: Ack[] = []
  #dones: Done[] = []

  constructor(line: Line) {
    this.#line = line
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Calls `done` when the acknowledgement is written and the client reads. */
  add(ack: Ack, done: Done): void {
    this.#waiting.push(ack)
    this.#dones.push(done)
    if (this.#waiting.length === 1) process.nextTick(() => this.#write())
  }

  #write(): void {
    const [waiting, dones] = [this.#waiting, this.#dones]
    this.#waiting = []
    this.#dones = []
    const goOn = () => {
      for (const done of dones) done()
    }
    if (!this.#line.isClosed) this.#line.write(writeAcks(waiting))
    const drained = this.#line.drained()
    if (drained) void drained.then(goOn)
    else goOn()
  }
}
