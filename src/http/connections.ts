import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type NewcomerLimits, Newcomers, newcomerLimits } from '../lib/newcomers.ts'
import { Seldom } from '../lib/seldom.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'

type Options = { limits?: NewcomerLimits; log?: Pick<Logger, 'warn'> | undefined }

const TURN_MS = 20
const defaults = { receiveMs: SECOND / 4, answerMs: 3 * SECOND }

/**
 * The connections of a server, so that it can stop. Node closes idle connections, but it treats a
 * connection without a request as busy, and it does not know TLS handshakes and WebSockets.
 */
export class Connections {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #requests = new Set<IncomingMessage>()
  readonly #newcomers: Newcomers
  /**
   * Connections without a request so far, by name: with TLS the socket of a request is another
   * object.
   */
  readonly #silent = new Map<string, () => void>()
  readonly #heard = new WeakSet<Socket>()
  readonly #log: Options['log']
  #refused = 0
  readonly #lines = new Seldom(MINUTE)

  /** Create it before the server listens. */
  constructor(server: Server, options: Options = {}) {
    this.#server = server
    this.#newcomers = new Newcomers(options.limits ?? newcomerLimits)
    this.#log = options.log
    server.on('connection', (socket) => this.#greet(socket))
    const requests = this.#requests
    function end(this: ServerResponse) {
      requests.delete(this.req)
    }
    server.on('request', (request, response) => {
      this.arrived(request.socket)
      requests.add(request)
      response.on('close', end)
    })
  }

  /** The connection made a request. For a WebSocket, the code that takes it over calls this. */
  arrived(socket: Socket): void {
    if (this.#heard.has(socket)) return
    this.#heard.add(socket)
    this.#forget(nameOf(socket))
  }

  /** Open connections, including WebSockets. */
  get count(): number {
    return this.#sockets.size
  }

  /**
   * Connections that were closed at once, since the start, because too many had made no request
   * yet.
   */
  get refused(): number {
    return this.#refused
  }

  /** Answers the requests that have arrived whole, for a limited time. WebSockets stay open. */
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

  /** Closes everything that is still open, including WebSockets. */
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

  /** At most one line per minute. */
  #tell(address: string | undefined): void {
    if (!this.#lines.isDue('refused', performance.now())) return
    this.#log?.warn({ address }, 'refused HTTP connections: too many have made no request yet')
  }

  #endUnfinished(): void {
    for (const request of this.#requests) if (!request.complete) request.destroy()
  }
}

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
