import { Tally } from '../lib/tally.ts'

export type InFlightLimits = { inFlightBytes: number; inFlightBytesPerOwner: number }

/** What a message costs beside its bytes while it is handled, roughly. */
const MESSAGE_BYTES = 1024

/**
 * The memory of all messages that are being read or handled. Beyond its share an owner is not
 * read, and beyond the whole nobody is, but who has nothing on its way: so a flood of one owner
 * slows down that owner.
 */
export class InFlight {
  readonly #limits: InFlightLimits
  readonly #bytes = new Tally()
  /** Those that wait for their owner's share, and those that wait for the whole, by owner. */
  readonly #forShare = new Map<string, Flow[]>()
  readonly #forWhole = new Map<string, Flow[]>()

  constructor(limits: InFlightLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes.total
  }

  /** False: not now; `resume` of the flow is called when it may be asked again. */
  take(flow: Flow, bytes: number): boolean {
    const { owner } = flow
    const isIdle = this.#bytes.of(owner) === 0
    const hasShare = this.#hasShare(owner, bytes)
    if (isIdle || (hasShare && this.#hasWhole(bytes))) {
      this.#bytes.add(owner, bytes)
      return true
    }
    const queue = hasShare ? this.#forWhole : this.#forShare
    const waiting = queue.get(owner)
    if (waiting) waiting.push(flow)
    else queue.set(owner, [flow])
    return false
  }

  release({ owner }: Flow, bytes: number): void {
    this.#bytes.add(owner, -bytes)
    for (let next = this.#first(this.#forShare, owner); next; ) {
      if (!this.#hasShare(owner, next.needs)) break
      this.#wake(this.#forShare, owner)
      next = this.#first(this.#forShare, owner)
    }
    if (this.#bytes.of(owner) === 0) this.#wake(this.#forWhole, owner)
    // In turn.
    for (const [waiting, [flow]] of this.#forWhole) {
      if (!flow || !this.#hasWhole(flow.needs)) break
      this.#wake(this.#forWhole, waiting)
    }
  }

  forget(flow: Flow): void {
    for (const queue of [this.#forShare, this.#forWhole]) {
      const left = (queue.get(flow.owner) ?? []).filter((other) => other !== flow)
      if (left.length > 0) queue.set(flow.owner, left)
      else queue.delete(flow.owner)
    }
  }

  #hasShare(owner: string, bytes: number): boolean {
    return this.#bytes.of(owner) + bytes <= this.#limits.inFlightBytesPerOwner
  }

  #hasWhole(bytes: number): boolean {
    return this.#bytes.total + bytes <= this.#limits.inFlightBytes
  }

  #first(queue: Map<string, Flow[]>, owner: string): Flow | undefined {
    return queue.get(owner)?.[0]
  }

  #wake(queue: Map<string, Flow[]>, owner: string): void {
    const [flow, ...others] = queue.get(owner) ?? []
    queue.delete(owner)
    if (others.length > 0) queue.set(owner, others)
    flow?.wake()
  }
}

/** The messages of one connection, in their order. */
export class Flow {
  readonly owner: string
  /** Bytes of the message that waits. */
  needs = 0
  readonly #inFlight: InFlight
  readonly #resume: () => void
  readonly #taken: number[] = []
  #isWaiting = false

  constructor(inFlight: InFlight, owner: string, resume: () => void) {
    this.#inFlight = inFlight
    this.owner = owner
    this.#resume = resume
  }

  take(length: number): boolean {
    if (this.#isWaiting) return false
    const bytes = length + MESSAGE_BYTES
    this.needs = bytes
    if (!this.#inFlight.take(this, bytes)) {
      this.#isWaiting = true
      return false
    }
    this.#taken.push(bytes)
    return true
  }

  /** The oldest is handled. */
  release(): void {
    const bytes = this.#taken.shift()
    if (bytes !== undefined) this.#inFlight.release(this, bytes)
  }

  end(): void {
    this.#inFlight.forget(this)
    for (const bytes of this.#taken.splice(0)) this.#inFlight.release(this, bytes)
  }

  wake(): void {
    this.#isWaiting = false
    this.#resume()
  }
}
