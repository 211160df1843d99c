import { Fifo } from '../../lib/fifo.ts'
import { Pace } from './pace.ts'
import { SlowLane } from './slow-lane.ts'

export type InFlightLimits = { inFlightBytes: number; inFlightBytesPerTenant: number }

/** The approximate memory that a message takes in addition to its bytes. */
const MESSAGE_OVERHEAD_BYTES = 1024
/** How often connections that wait for their pace are read again. */
const TICK_MS = 5
/** To read a connection costs more than a message, so it is read a few messages at a time. */
const TOO_FAST_AT_ONCE = 10

/** What all connections of one tenant have together. */
type TenantShare = {
  tenant: string
  /** The number of connections. */
  flows: number
  /** Of messages that are being read or handled. */
  bytes: number
  pace: Pace
  /** Connections that wait for the share or the pace of the tenant. */
  waiting: Set<Flow>
  /** Connections that wait for room in the memory of all tenants. */
  waitingForTotal: Set<Flow>
}

/**
 * Limits the memory of all messages that are being read or handled, and how fast they are read. The
 * connections of a tenant are not read while it is over its share or its pace. While all tenants
 * together are over the limit, only tenants with nothing in flight are read. So a flood slows down
 * only the tenant that sends it. A tenant that is connected alone has no pace. [ADR-0038]
 * Connections whose messages were refused because they came too fast wait in the slow lane.
 */
export class InFlight {
  readonly #limits: InFlightLimits
  readonly #rateOf: (tenant: string) => number
  /** Of the tenants that are connected. */
  readonly #shares = new Map<string, TenantShare>()
  /** Tenants that wait for room in the memory of all tenants, in the order of their turns. */
  readonly #waitingForTotal = new Set<TenantShare>()
  /** Tenants that have used a part of their pace. */
  readonly #paced = new Set<TenantShare>()
  readonly #slowLane = new SlowLane<TenantShare, Flow>((flow) => flow.goOn())
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #tickedAt = 0

  /** `rateOf` tells how many messages a second a tenant may send. */
  constructor(limits: InFlightLimits, rateOf: (tenant: string) => number) {
    this.#limits = limits
    this.#rateOf = rateOf
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Connections that wait for room or for their pace. */
  get waiting(): number {
    let sum = 0
    for (const { waiting, waitingForTotal } of this.#shares.values()) {
      sum += waiting.size + waitingForTotal.size
    }
    return sum
  }

  enter(tenant: string): TenantShare {
    const known = this.#shares.get(tenant)
    const share = known ?? {
      ...{ tenant, flows: 0, bytes: 0, pace: new Pace(this.#rateOf(tenant)) },
      ...{ waiting: new Set<Flow>(), waitingForTotal: new Set<Flow>() }
    }
    this.#shares.set(tenant, share)
    share.flows++
    return share
  }

  leave(flow: Flow): void {
    const { share } = flow
    this.#slowLane.remove(share, flow)
    share.waiting.delete(flow)
    share.waitingForTotal.delete(flow)
    if (share.waitingForTotal.size === 0) this.#waitingForTotal.delete(share)
    if (--share.flows === 0) this.#shares.delete(share.tenant)
  }

  /** `flow.goOn` is called when it has no place in the slow lane any more. */
  slowDown(flow: Flow): void {
    this.#slowLane.add(flow.share, flow)
  }

  /** False: the message must wait. `flow.grant` is called when there is room. */
  take(flow: Flow, bytes: number): boolean {
    const { share } = flow
    if (!this.#hasShareAndPace(share, bytes)) share.waiting.add(flow)
    else if (share.bytes > 0 && !this.#hasTotalRoom(bytes)) this.#waitForTotal(flow)
    else {
      this.#charge(share, bytes)
      return true
    }
    return false
  }

  release({ share }: Flow, bytes: number): void {
    share.bytes -= bytes
    this.#bytes -= bytes
    if (share.waiting.size > 0) this.#grantWaiting(share)
    if (this.#waitingForTotal.size > 0) this.#grantTotal(share)
  }

  /** A tenant with nothing in flight may send a message of any size. */
  #hasShareAndPace({ pace, bytes: taken }: TenantShare, bytes: number): boolean {
    if (!pace.hasOne && this.#shares.size > 1) return false
    return taken === 0 || taken + bytes <= this.#limits.inFlightBytesPerTenant
  }

  #hasTotalRoom(bytes: number): boolean {
    return this.#bytes + bytes <= this.#limits.inFlightBytes
  }

  #grantWaiting(share: TenantShare): void {
    for (const flow of share.waiting) {
      if (!this.#hasShareAndPace(share, flow.needs)) return
      share.waiting.delete(flow)
      if (share.bytes === 0 || this.#hasTotalRoom(flow.needs)) this.#grant(flow)
      else this.#waitForTotal(flow)
    }
  }

  #waitForTotal(flow: Flow): void {
    flow.share.waitingForTotal.add(flow)
    this.#waitingForTotal.add(flow.share)
  }

  /** First to the tenant if it has nothing in flight now, then to all in turn. */
  #grantTotal(released: TenantShare): void {
    if (released.bytes === 0) this.#grantNext(released)
    for (const share of this.#waitingForTotal) {
      const [flow] = share.waitingForTotal
      if (!this.#hasTotalRoom(flow?.needs ?? 0)) return
      this.#grantNext(share)
    }
  }

  #grantNext(share: TenantShare): void {
    const [flow] = share.waitingForTotal
    if (flow) share.waitingForTotal.delete(flow)
    // The tenant goes behind the others.
    this.#waitingForTotal.delete(share)
    if (share.waitingForTotal.size > 0) this.#waitingForTotal.add(share)
    if (!flow) return
    if (this.#hasShareAndPace(share, flow.needs)) this.#grant(flow)
    else share.waiting.add(flow)
  }

  #grant(flow: Flow): void {
    this.#charge(flow.share, flow.needs)
    flow.grant()
  }

  #charge(share: TenantShare, bytes: number): void {
    share.bytes += bytes
    this.#bytes += bytes
    if (share.pace.isUnlimited) return
    share.pace.take()
    this.#paced.add(share)
    if (this.#timer) return
    this.#tickedAt = performance.now()
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  #tick(): void {
    const now = performance.now()
    const elapsedMs = now - this.#tickedAt
    this.#tickedAt = now
    for (const share of this.#paced) {
      share.pace.rise(this.#rateOf(share.tenant), elapsedMs)
      this.#grantWaiting(share)
      if (share.pace.isFull) this.#paced.delete(share)
    }
    if (this.#paced.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** The messages of one connection, in order. */
export class Flow {
  readonly share: TenantShare
  /** Bytes that the waiting message needs. */
  needs = 0
  readonly #inFlight: InFlight
  readonly #resume: () => void
  readonly #taken = new Fifo<number>()
  #isWaiting = false
  /** The message that waited has got its bytes. */
  #isGranted = false
  #isEnded = false
  /** Messages that came too fast and have a place in the slow lane. */
  #tooFast = 0

  constructor(inFlight: InFlight, tenant: string, resume: () => void) {
    this.#inFlight = inFlight
    this.share = inFlight.enter(tenant)
    this.#resume = resume
  }

  take(length: number): boolean {
    if (this.#isWaiting) return false
    if (this.#isGranted) {
      this.#isGranted = false
      return true
    }
    if (this.#tooFast >= TOO_FAST_AT_ONCE) return false
    const bytes = length + MESSAGE_OVERHEAD_BYTES
    this.needs = bytes
    if (!this.#inFlight.take(this, bytes)) {
      this.#isWaiting = true
      return false
    }
    this.#taken.push(bytes)
    return true
  }

  /** The oldest message was handled. */
  release(): void {
    const bytes = this.#taken.shift()
    if (bytes !== undefined) this.#inFlight.release(this, bytes)
  }

  /** A message was refused because it came too fast. */
  slowDown(): void {
    if (this.#isEnded) return
    this.#tooFast++
    this.#inFlight.slowDown(this)
  }

  goOn(): void {
    this.#tooFast = 0
    this.#resume()
  }

  end(): void {
    this.#isEnded = true
    this.#inFlight.leave(this)
    while (this.#taken.size > 0) this.release()
  }

  grant(): void {
    this.#isWaiting = false
    this.#isGranted = true
    this.#taken.push(this.needs)
    this.#resume()
  }
}
