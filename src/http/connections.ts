import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../lib/unix-time.ts'

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

  /** To be called before the server listens. */
  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (request, response) => {
      this.#requests.add(request)
      response.once('close', () => this.#requests.delete(request))
    })
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

  #endUnfinished(): void {
    for (const request of this.#requests) if (!request.complete) request.destroy()
  }
}
