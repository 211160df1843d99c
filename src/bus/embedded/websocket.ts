import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws'

const refusals = { 404: 'Not Found', 503: 'Service Unavailable' }

/** The address of the client, even if it comes through proxies. */
export type AddressOf = (request: IncomingMessage) => string

export function serveWebSocket(
  server: HttpServer | HttpsServer,
  options: {
    path: string
    maxPayload: number
    isAccepting: () => boolean
    addressOf: AddressOf
    accept: (conn: Duplex, address: string) => void
  }
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: options.maxPayload,
    // [MQTT 6.0.0-4] Clients of MQTT 3.1 ask for `mqttv3.1`.
    handleProtocols: (offered) => ['mqtt', 'mqttv3.1'].find((name) => offered.has(name)) ?? false
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const [path] = (request.url ?? '').split('?', 1)
    if (path !== options.path) return refuse(socket, 404)
    if (!options.isAccepting()) return refuse(socket, 503)
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      // Ends the connection without a closing handshake.
      webSocket.on('error', () => webSocket.terminate())
      // [MQTT 6.0.0-1] Only binary frames are allowed.
      webSocket.on('message', (_, isBinary) => {
        if (!isBinary) webSocket.terminate()
      })
      options.accept(asStream(webSocket), options.addressOf(request))
    })
  })
}

/** A packet is written in several pieces. They are sent as one frame. */
function asStream(webSocket: WebSocket): Duplex {
  return createWebSocketStream(webSocket, {
    writev: (pieces, done) => webSocket.send(Buffer.concat(pieces.map(({ chunk }) => chunk)), done)
  })
}

function refuse(socket: Duplex, status: keyof typeof refusals): void {
  socket.end(
    `HTTP/1.1 ${status} ${refusals[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy()
  )
}
