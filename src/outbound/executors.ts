import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { EventEmitter, once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { hostOf, isReachable } from '../lib/networks.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'

/** All of a call: finding the address, connecting, and the answer. */
const LIMIT = 10 * SECOND
/** Nobody reads the answer; what is longer is cut off. */
const MAX_ANSWER = 64 * 1024
const PER_MINUTE = 60
const AT_ONCE = 64
const AT_ONCE_EACH = 4
/** Each holds one of the few threads that sign-ins need as well. */
const LOOKUPS_AT_ONCE = 2

export type ExecutorOutcome = 'answered' | 'late' | 'unreachable' | 'refused'

/** Its message goes on where `the executor ...` begins, for whoever sent; the cause is for the log. */
export class ExecutorFault extends Error {
  readonly outcome: ExecutorOutcome

  constructor(outcome: ExecutorOutcome, message: string, options?: ErrorOptions) {
    super(message, options)
    this.outcome = outcome
  }
}

export type ExecutorCall = { url: string; secret: string; body: string }

/** Notifications on their way to executors: never where the network is not open, never too many. */
export class Executors {
  readonly #opened: BlockList
  readonly #rate: RateLimit
  readonly #underWay = new Map<number, number>()
  readonly #turns = new EventEmitter().setMaxListeners(AT_ONCE)
  #lookups = 0
  #total = 0

  /** `opened`: networks that are not public and may be called all the same. */
  constructor(opened: BlockList, clock: Clock) {
    this.#opened = opened
    this.#rate = new RateLimit(clock, { most: PER_MINUTE, window: MINUTE })
  }

  /** Seconds until the installation may send; 0 = now, and `leave` must follow when it has. */
  enter(installationId: number): number {
    const underWay = this.#underWay.get(installationId) ?? 0
    const wait = underWay >= AT_ONCE_EACH ? 1 : this.#rate.take(installationId)
    if (wait > 0) return wait
    this.#total++
    this.#underWay.set(installationId, underWay + 1)
    return 0
  }

  leave(installationId: number): void {
    this.#total--
    const left = (this.#underWay.get(installationId) ?? 1) - 1
    if (left === 0) this.#underWay.delete(installationId)
    else this.#underWay.set(installationId, left)
  }

  /** With calls of all installations together. */
  get isBusy(): boolean {
    return this.#total >= AT_ONCE
  }

  /** Of a name it is not known before it is called. */
  isClosed(host: string): boolean {
    return isIP(host) !== 0 && !isReachable(host, this.#opened)
  }

  /** Resolves when the executor has answered with 2xx; otherwise rejects with ExecutorFault. */
  async call({ url, secret, body }: ExecutorCall, stop: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(LIMIT), stop])
    const target = new URL(url)
    const addresses = await this.#resolve(hostOf(target), signal)
    // What was checked is what is connected to: nobody asks for the name a second time.
    const checked: LookupFunction = (_host, { all }, done) => {
      const [first = { address: '', family: 4 }] = addresses
      return all ? done(null, addresses) : done(null, first.address, first.family)
    }
    const send = target.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(secret !== '' && { 'x-api-key': secret })
      },
      agent: false,
      lookup: checked,
      signal
    })
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request.once('response', resolve)
    request.on('error', reject)
    request.once('close', () => reject(new Error('closed without an answer')))
    request.end(body)
    const response = await promise.catch((error) => {
      throw faultOf(error, signal)
    })
    await drained(response)
    const { statusCode = 0 } = response
    if (statusCode < 200 || statusCode > 299) {
      throw new ExecutorFault('answered', `answered ${statusCode}`)
    }
  }

  async #lookUp(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
    while (this.#lookups >= LOOKUPS_AT_ONCE) await once(this.#turns, 'turn', { signal })
    this.#lookups++
    try {
      return await lookup(host, { all: true })
    } finally {
      this.#lookups--
      this.#turns.emit('turn')
    }
  }

  /** All addresses of the host, if every one of them may be called. */
  async #resolve(host: string, signal: AbortSignal) {
    const found = isIP(host)
      ? [{ address: host, family: isIP(host) }]
      : await Promise.race([this.#lookUp(host, signal), aborted(signal)]).catch((error) => {
          throw faultOf(error, signal)
        })
    const closed = found.find(({ address }) => this.isClosed(address))
    if (closed || found.length === 0) {
      throw new ExecutorFault('refused', 'has an address that is not allowed', {
        cause: new Error(`${host} is ${closed?.address ?? 'nowhere'}`)
      })
    }
    return found
  }
}

const faultOf = (cause: unknown, { reason }: AbortSignal): ExecutorFault =>
  reason?.name === 'TimeoutError'
    ? new ExecutorFault('late', `did not answer within ${LIMIT / SECOND} seconds`)
    : new ExecutorFault('unreachable', 'could not be reached', { cause })

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

/** The status has been read; what follows is thrown away, and not waited for beyond the limits. */
async function drained(response: IncomingMessage): Promise<void> {
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_ANSWER) response.destroy()
  })
  response.on('error', () => {})
  if (!response.closed) await once(response, 'close').catch(() => {})
}
