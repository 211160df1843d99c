import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { connect } from 'mqtt'
import { WebSocket } from 'ws'
import { makeCertificate, tlsSettings } from '../support/certificate.ts'
import { type Caracal, startCaracal, temporaryDirectory } from '../support/process.ts'
import { slow } from '../support/rounds.ts'

const SOON_MS = 1000
/** On a busy machine one try may be slow. Something that hangs is slow in all tries. */
const TRIES = 3

const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}
const insecure = { rejectUnauthorized: false }

function start(isSecure: boolean): Promise<Caracal> {
  const certificates = temporaryDirectory()
  if (isSecure) makeCertificate(certificates, 'stop')
  return startCaracal({
    ...admin,
    CARACAL_DATA_DIR: temporaryDirectory(),
    ...(isSecure && tlsSettings(certificates))
  })
}

async function mqtt(url: string): Promise<void> {
  const client = connect(url, {
    ...insecure,
    username: 'boss@example.org',
    password: 'correct horse battery',
    reconnectPeriod: 0
  })
  client.on('error', () => {})
  await once(client as never, 'connect')
}

const socketUrl = ({ url }: Caracal) => `${url.replace('http', 'ws')}/mqtt`

async function silentWebSocket(caracal: Caracal): Promise<void> {
  const socket = new WebSocket(socketUrl(caracal), 'mqtt', insecure)
  socket.on('error', () => {})
  await once(socket, 'open')
}

/** A connection that got an answer and is kept open. */
async function keptConnection({ url }: Caracal): Promise<void> {
  const { protocol } = new URL(url)
  const send = protocol === 'https:' ? httpsRequest : httpRequest
  const agent = new (await import(`node:${protocol.slice(0, -1)}`)).Agent({ keepAlive: true })
  const asked = send(`${url}/api/v2/ping`, { ...insecure, agent }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'end')
}

/** Raw bytes, through TLS if the API uses it. */
async function raw({ url }: Caracal, bytes: string): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url)
  const isTls = protocol === 'https:'
  const at = { host: hostname, port: Number(port) }
  const socket = isTls ? connectTls({ ...at, ...insecure }) : connectTcp(at)
  socket.on('error', () => {})
  await once(socket, isTls ? 'secureConnect' : 'connect')
  if (bytes !== '') socket.write(bytes)
  return socket
}

/** A TCP connection without TLS handshake and without a request. */
async function silentPort(port: number): Promise<void> {
  const socket = connectTcp({ host: '127.0.0.1', port })
  socket.on('error', () => {})
  await once(socket, 'connect')
}

const httpPort = ({ url }: Caracal) => Number(new URL(url).port)
const half = 'POST /api/v2/auth HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"a'

type Attach = (caracal: Caracal) => Promise<unknown>

const mqttOverWebSocket: Attach = (caracal) => mqtt(socketUrl(caracal))
const clients: Record<string, Attach> = {
  'MQTT over TCP': ({ mqttPort }) => mqtt(`mqtt://127.0.0.1:${mqttPort}`),
  'MQTT over WebSocket': mqttOverWebSocket,
  'a WebSocket that says nothing': silentWebSocket,
  'a kept HTTP connection': keptConnection,
  'half a request': (caracal) => raw(caracal, half),
  'half a header': (caracal) => raw(caracal, 'GET /api/v2/ping HTTP/1.1\r\nhos'),
  'a connection that says nothing': (caracal) => raw(caracal, ''),
  'a connection to the HTTP port': (caracal) => silentPort(httpPort(caracal)),
  'a connection to the MQTT port': ({ mqttPort }) => silentPort(mqttPort)
}
const clientsOfTls: typeof clients = {
  ...clients,
  'MQTT over TLS': (caracal) => mqtt(`mqtts://127.0.0.1:${mqttsPort(caracal)}`),
  'a connection to the port of MQTT over TLS': (caracal) => silentPort(mqttsPort(caracal))
}
const mqttsPort = (caracal: Caracal) => Number(/mqtts:\/\/\S+:(\d+)/.exec(caracal.printed())?.[1])

async function stopTime(isSecure: boolean, attaching: readonly Attach[]): Promise<number> {
  const caracal = await start(isSecure)
  for (const attach of attaching) await attach(caracal)
  const began = performance.now()
  assert.equal(await caracal.kill('SIGTERM'), 0, caracal.printed())
  return performance.now() - began
}

async function stopsSoon(isSecure: boolean, ...attaching: Attach[]): Promise<void> {
  const took: number[] = []
  while (took.length < TRIES) {
    const time = await stopTime(isSecure, attaching)
    if (time < SOON_MS) return
    took.push(Math.round(time))
  }
  assert.fail(`it took ${took.join(', ')} ms`)
}

for (const isSecure of [false, true]) {
  describe(`SIGTERM ${isSecure ? 'with' : 'without'} TLS ends the program within a second, with 0`, () => {
    test('while there is a client of MQTT over WebSocket', slow, () =>
      stopsSoon(isSecure, mqttOverWebSocket)
    )

    test('while there is every kind of client', isSecure ? slow : {}, () =>
      stopsSoon(isSecure, ...Object.values(isSecure ? clientsOfTls : clients))
    )
  })
}
