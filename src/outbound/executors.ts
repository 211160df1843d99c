import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { hostOf, isReachable } from '../lib/networks.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import { addressesOf } from './addresses.ts'

/** All of a call: finding the address, connecting, and the answer. */
const LIMIT = 10 * SECOND
/** Nobody reads the answer; what is longer is cut off. */
const MAX_ANSWER = 64 * 1024
const PER_MINUTE = 60
const AT_ONCE = 64
/** One organization's slow executors leave room for others'. */
const AT_ONCE_ORGANIZATION = 16
const AT_ONCE_EACH = 4

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

/** The installation that sends. */
type Sender = { id: number; organization_id: number }

/** Notifications on their way to executors: never where the network is not open, never too many. */
export class Executors {
  readonly #opened: BlockList
  readonly #rate: RateLimit
  readonly #nameServers: readonly string[] | undefined
  readonly #ofInstallations = new Count()
  readonly #ofOrganizations = new Count()
  #total = 0

  /** `opened`: networks that are not public and may be called all the same; `nameServers`: instead of the machine's. */
  constructor(opened: BlockList, clock: Clock, nameServers?: readonly string[]) {
    this.#opened = opened
    this.#nameServers = nameServers
    this.#rate = new RateLimit(clock, { most: PER_MINUTE, window: MINUTE })
  }

  /** Seconds until the installation may send; 0 = now, and `leave` must follow when it has. */
  enter({ id, organization_id }: Sender): number {
    const isFull =
      this.#ofInstallations.of(id) >= AT_ONCE_EACH ||
      this.#ofOrganizations.of(organization_id) >= AT_ONCE_ORGANIZATION
    const wait = isFull ? 1 : this.#rate.take(id)
    if (wait > 0) return wait
    this.#total++
    this.#ofInstallations.add(id, 1)
    this.#ofOrganizations.add(organization_id, 1)
    return 0
  }

  leave({ id, organization_id }: Sender): void {
    this.#total--
    this.#ofInstallations.add(id, -1)
    this.#ofOrganizations.add(organization_id, -1)
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

  /** All addresses of the host, if every one of them may be called. */
  async #resolve(host: string, signal: AbortSignal) {
    const found = isIP(host)
      ? [{ address: host, family: isIP(host) }]
      : await addressesOf(host, signal, this.#nameServers).catch((error) => {
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

/** Calls under way, by id. */
class Count {
  readonly #counts = new Map<number, number>()

  of(id: number): number {
    return this.#counts.get(id) ?? 0
  }

  add(id: number, more: 1 | -1): void {
    const count = this.of(id) + more
    if (count === 0) this.#counts.delete(id)
    else this.#counts.set(id, count)
  }
}

const faultOf = (cause: unknown, { reason }: AbortSignal): ExecutorFault =>
  reason?.name === 'TimeoutError'
    ? new ExecutorFault('late', `did not answer within ${LIMIT / SECOND} seconds`)
    : new ExecutorFault('unreachable', 'could not be reached', { cause })

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
