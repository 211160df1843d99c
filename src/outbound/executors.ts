import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { hostOf, isReachable } from '../lib/networks.ts'
import { RateLimit } from '../lib/rate-limit.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import { addressesOf } from './addresses.ts'

// An import would load the WebSocket client of node:http too, which takes 3 MiB.
const { request: requestHttp } = process.getBuiltinModule('node:http')

/** The time for a whole call: finding the address, connecting, and the answer. */
const CALL_TIMEOUT_MS = 10 * SECOND
/** The answer is not used; a longer one is cut off. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_URL_LENGTH = 2000
const MAX_SENDS_PER_MINUTE = 60
const MAX_CALLS = 64
/** The slow executors of one organization must not block others. */
const MAX_CALLS_PER_ORGANIZATION = 16
const MAX_CALLS_PER_INSTALLATION = 4

export type ExecutorOutcome = 'answered' | 'late' | 'unreachable' | 'refused'

/** The message continues the text `the executor ...` for the caller; the cause is for the log. */
export class ExecutorFault extends Error {
  readonly outcome: ExecutorOutcome

  constructor(outcome: ExecutorOutcome, message: string, options?: ErrorOptions) {
    super(message, options)
    this.outcome = outcome
  }
}

export type ExecutorCall = { url: string; secret: string; body: string }
/** A POST to an address that a tenant chose. */
export type OutsideCall = {
  url: string
  headers: Readonly<Record<string, string | number>>
  body: string | Buffer
}

/** The installation that sends. */
type Sender = { id: number; organization_id: number }

/** Calls executors. Calls only allowed addresses, and limits the number of calls. */
export class Executors {
  readonly #opened: BlockList
  readonly #rate: RateLimit<number>
  readonly #nameServers: readonly string[] | undefined
  readonly #ofInstallations = new Count()
  readonly #ofOrganizations = new Count()
  #total = 0

  /**
   * `opened` are private networks that may be called. `nameServers` replaces those of the machine.
   */
  constructor(opened: BlockList, clock: Clock, nameServers?: readonly string[]) {
    this.#opened = opened
    this.#nameServers = nameServers
    this.#rate = new RateLimit(clock, { most: MAX_SENDS_PER_MINUTE, windowMs: MINUTE })
  }

  /**
   * Seconds until the installation may send. 0 means now; then `leave` must be called afterwards.
   */
  enter({ id, organization_id }: Sender): number {
    const isFull =
      this.#ofInstallations.of(id) >= MAX_CALLS_PER_INSTALLATION ||
      this.#ofOrganizations.of(organization_id) >= MAX_CALLS_PER_ORGANIZATION
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

  /** Whether all installations together have too many calls. */
  get isBusy(): boolean {
    return this.#total >= MAX_CALLS
  }

  /** Whether the host is an address that may not be called. A name is checked at each call. */
  isClosed(host: string): boolean {
    return isIP(host) !== 0 && !isReachable(host, this.#opened)
  }

  /**
   * What is wrong with a URL that a tenant gave, as a text that follows its name. The name of a host
   * is checked at every call.
   */
  urlFault(written: string): string | undefined {
    if (written.length > MAX_URL_LENGTH) return `has at most ${MAX_URL_LENGTH} characters`
    const url = URL.canParse(written) ? new URL(written) : undefined
    if (!url || !/^https?:$/.test(url.protocol)) return 'must begin with http:// or https://'
    if (url.username !== '' || url.password !== '') return 'must not have a user name or password'
    return this.isClosed(hostOf(url))
      ? 'must not lead to an address that is not public (CARACAL_NOTIFY_PRIVATE_NETWORKS)'
      : undefined
  }

  /** Resolves when the executor has answered with 2xx; otherwise rejects with ExecutorFault. */
  async call({ url, secret, body }: ExecutorCall, stop: AbortSignal): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      ...(secret !== '' && { 'x-api-key': secret })
    }
    const status = await this.post({ url, headers, body }, stop)
    if (status < 200 || status > 299) throw new ExecutorFault('answered', `answered ${status}`)
  }

  /** Answers the status. Rejects with ExecutorFault if there is none. */
  async post({ url, headers, body }: OutsideCall, stop: AbortSignal): Promise<number> {
    const signal = AbortSignal.any([AbortSignal.timeout(CALL_TIMEOUT_MS), stop])
    const target = new URL(url)
    const addresses = await this.#resolve(hostOf(target), signal)
    // Connect to the checked addresses; a second lookup could give others.
    const checked: LookupFunction = (_host, { all }, done) => {
      const [first = { address: '', family: 4 }] = addresses
      return all ? done(null, addresses) : done(null, first.address, first.family)
    }
    const send = target.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
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
    return response.statusCode ?? 0
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
        cause: new Error(`${host} has ${closed ? `the address ${closed.address}` : 'no address'}`)
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
    ? new ExecutorFault('late', `did not answer within ${CALL_TIMEOUT_MS / SECOND} seconds`)
    : new ExecutorFault('unreachable', 'could not be reached', { cause })

/** Reads and drops the body of the answer, up to the limits of size and time. */
async function drained(response: IncomingMessage): Promise<void> {
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) response.destroy()
  })
  response.on('error', () => {})
  if (!response.closed) await once(response, 'close').catch(() => {})
}
