import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

/** Passes bytes between a client and a server, and can interrupt them. */
export class TcpProxy {
  readonly #target: number
  readonly #tls: { cert: string; key: string } | undefined
  readonly #sockets = new Set<Socket>()
  readonly #forgotten = new WeakSet<Socket>()
  #server: Server | undefined
  #swallow: { request: string; then: () => Promise<void> } | undefined
  port = 0

  constructor(target: number, tls?: { cert: string; key: string }) {
    this.#target = target
    this.#tls = tls
  }

  async listen(): Promise<void> {
    const accept = (client: Socket) => this.#join(client)
    const server = this.#tls ? createTlsServer(this.#tls, accept) : createServer(accept)
    // A client that does not trust the certificate hangs up during the handshake.
    server.on('tlsClientError', () => {})
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  /** Closes all connections and accepts no new ones. */
  async close(): Promise<void> {
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
    if (this.#server?.listening) await once(this.#server, 'close')
  }

  /** Connections stay open but pass no data on, as behind a firewall that restarts. */
  forget(): void {
    for (const socket of this.#sockets) this.#forgotten.add(socket)
  }

  /** Drops the answer to the next request that contains the text, and runs `then` instead. */
  swallowAnswerTo(request: string, then: () => Promise<void>): void {
    this.#swallow = { request, then }
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    for (const [socket, other] of [
      [client, server],
      [server, client]
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
    let swallow: { then: () => Promise<void> } | undefined
    client.on('data', (chunk) => {
      if (this.#forgotten.has(client)) return
      if (this.#swallow && chunk.includes(this.#swallow.request)) {
        swallow = this.#swallow
        this.#swallow = undefined
      }
      server.write(chunk)
    })
    server.on('data', (chunk) => {
      if (this.#forgotten.has(server)) return
      if (!swallow) return void client.write(chunk)
      void swallow.then().then(() => client.destroy())
    })
  }
}
