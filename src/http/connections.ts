import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type NewcomerLimits, Newcomers, newcomerLimits } from '../lib/newcomers.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'

type Options = { limits?: NewcomerLimits; log?: Pick<Logger, 'warn'> | undefined }

const TURN_MS = 20
const defaults = { receiveMs: SECOND / 4, answerMs: 3 * SECOND }

/**
 * The connections of a server that is to stop. Node closes idle ones by itself, but takes one that
 * has said nothing yet for a busy one, and knows nothing of TLS handshakes and WebSockets.
 */
export class Connections {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #requests = new Set<IncomingMessage>()
  readonly #newcomers: Newcomers
  /** Those that have not asked for anything yet; behind TLS the socket of a request is another one. */
  readonly #silent = new Map<string, () => void>()
  readonly #log: Options['log']
  #refused = 0
  #tellAt = Number.NEGATIVE_INFINITY

  /** To be called before the server listens. */
  constructor(server: Server, options: Options = {}) {
    this.#server = server
    this.#newcomers = new Newcomers(options.limits ?? newcomerLimits)
    this.#log = options.log
    server.on('connection', (socket) => this.#greet(socket))
    server.on('request', (request, response) => {
      this.arrived(request.socket)
      this.#requests.add(request)
      response.once('close', () => this.#requests.delete(request))
    })
  }

  /** It asked for something; of a WebSocket whoever takes it over tells that. */
  arrived(socket: Socket): void {
    this.#forget(nameOf(socket))
  }

  /** Connections that were closed at once, since the start: too many had asked for nothing yet. */
  get refused(): number {
    return this.#refused
  }

  /** What has arrived whole is answered, for a bounded time. WebSockets stay open. */
  async drain({ receiveMs, answerMs } = defaults): Promise<void> {
    const began = performance.now()
    for (;;) {
      this.#server.closeIdleConnections()
      const waited = performance.now() - began
      if (waited >= receiveMs) this.#endUnfinished()
      if (this.#requests.size === 0 || waited >= answerMs) break
      await wait(TURN_MS)
    }
    this.#server.closeAllConnections()
  }

  /** Everything that is still open, WebSockets too. */
  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #greet(socket: Socket): void {
    const arrived = this.#newcomers.enter(socket.remoteAddress ?? '')
    if (!arrived) {
      this.#refused++
      this.#tell(socket.remoteAddress)
      socket.destroy()
      return
    }
    const name = nameOf(socket)
    this.#silent.set(name, arrived)
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      this.#forget(name)
    })
  }

  #forget(name: string): void {
    this.#silent.get(name)?.()
    this.#silent.delete(name)
  }

  /** Not each time. */
  #tell(address: string | undefined): void {
    const now = performance.now()
    if (now < this.#tellAt) return
    this.#tellAt = now + MINUTE
    this.#log?.warn({ address }, 'too many HTTP connections that ask for nothing: refused')
  }

  #endUnfinished(): void {
    for (const request of this.#requests) if (!request.complete) request.destroy()
  }
}

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
