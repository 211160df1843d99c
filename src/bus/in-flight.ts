import { Fifo } from '../lib/fifo.ts'
import { Tally } from '../lib/tally.ts'

export type InFlightLimits = { inFlightBytes: number; inFlightBytesPerTenant: number }

type Waiting = Map<string, Fifo<Flow>>

/** What a message costs beside its bytes while it is handled, roughly. */
const MESSAGE_BYTES = 1024

/**
 * The memory of all messages that are being read or handled. Beyond its share a tenant is not
 * read, and beyond the whole nobody is, but who has nothing on its way: so a flood of one tenant
 * slows down that tenant.
 */
export class InFlight {
  readonly #limits: InFlightLimits
  readonly #bytes = new Tally()
  /** Those that wait for their tenant's share, and those that wait for the whole, by tenant. */
  readonly #forShare: Waiting = new Map()
  readonly #forWhole: Waiting = new Map()

  constructor(limits: InFlightLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes.total
  }

  /** False: not now; the flow is granted it when there is room. */
  take(flow: Flow, bytes: number): boolean {
    const { tenant } = flow
    const hasShare = this.#hasShare(tenant, bytes)
    if (this.#isIdle(tenant) || (hasShare && this.#hasWhole(bytes))) {
      this.#bytes.add(tenant, bytes)
      return true
    }
    wait(hasShare ? this.#forWhole : this.#forShare, flow)
    return false
  }

  release({ tenant }: Flow, bytes: number): void {
    this.#bytes.add(tenant, -bytes)
    const own = this.#forShare.get(tenant)
    for (let flow = own?.first; flow && this.#hasShare(tenant, flow.needs); flow = own?.first) {
      this.#leave(this.#forShare, tenant)
      if (this.#isIdle(tenant) || this.#hasWhole(flow.needs)) this.#grant(flow)
      else wait(this.#forWhole, flow)
    }
    const idle = this.#isIdle(tenant) && this.#forWhole.get(tenant)?.first
    if (idle) {
      this.#leave(this.#forWhole, tenant)
      this.#grant(idle)
    }
    // In turn.
    for (const [waiting, { first: flow }] of this.#forWhole) {
      if (!flow || !this.#hasWhole(flow.needs)) break
      this.#leave(this.#forWhole, waiting)
      if (this.#hasShare(waiting, flow.needs)) this.#grant(flow)
      else wait(this.#forShare, flow)
    }
  }

  forget(flow: Flow): void {
    for (const queue of [this.#forShare, this.#forWhole]) {
      const others = [...(queue.get(flow.tenant) ?? [])].filter((other) => other !== flow)
      queue.delete(flow.tenant)
      for (const other of others) wait(queue, other)
    }
  }

  #isIdle(tenant: string): boolean {
    return this.#bytes.of(tenant) === 0
  }

  #hasShare(tenant: string, bytes: number): boolean {
    return this.#bytes.of(tenant) + bytes <= this.#limits.inFlightBytesPerTenant
  }

  #hasWhole(bytes: number): boolean {
    return this.#bytes.total + bytes <= this.#limits.inFlightBytes
  }

  /** The first of an tenant, which goes behind the other tenants. */
  #leave(queue: Waiting, tenant: string): void {
    const flows = queue.get(tenant)
    flows?.shift()
    queue.delete(tenant)
    if (flows && flows.size > 0) queue.set(tenant, flows)
  }

  #grant(flow: Flow): void {
    this.#bytes.add(flow.tenant, flow.needs)
    flow.grant()
  }
}

function wait(queue: Waiting, flow: Flow): void {
  const flows = queue.get(flow.tenant) ?? new Fifo<Flow>()
  flows.push(flow)
  queue.set(flow.tenant, flows)
}

/** The messages of one connection, in their order. */
export class Flow {
  readonly tenant: string
  /** Bytes of the message that waits. */
  needs = 0
  readonly #inFlight: InFlight
  readonly #resume: () => void
  readonly #taken = new Fifo<number>()
  #isWaiting = false
  /** What waited has its bytes. */
  #isGranted = false

  constructor(inFlight: InFlight, tenant: string, resume: () => void) {
    this.#inFlight = inFlight
    this.tenant = tenant
    this.#resume = resume
  }

  take(length: number): boolean {
    if (this.#isWaiting) return false
    if (this.#isGranted) {
      this.#isGranted = false
      return true
    }
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
    while (this.#taken.size > 0) this.release()
  }

  grant(): void {
    this.#isWaiting = false
    this.#isGranted = true
    this.#taken.push(this.needs)
    this.#resume()
  }
}
