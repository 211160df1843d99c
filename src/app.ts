import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { App, Routes } from './deps.ts'
import { traceWrites } from './features/trace/write-down.ts'
import { watchBody } from './http/body-progress.ts'
import { openTo } from './http/cors.ts'
import { handleError } from './http/error-handler.ts'
import { badRequest, diskFull, headersTooLarge, notFound, uriTooLong } from './http/errors.ts'
import { parseBody } from './http/json-body.ts'
import { JSON_TYPE } from './http/json-text.ts'
import { tolerateParameters } from './http/parameters.ts'
import type { Trust } from './http/proxies.ts'
import { readsOnly } from './http/traced.ts'
import { unknownParameters } from './http/unknown-parameters.ts'
import { serializerCompiler, validatorCompiler } from './http/validation.ts'
import type { Origins } from './lib/origins.ts'
import { withoutExtraSlashes } from './lib/url-path.ts'
import { addressOf, LYNX, speakLynx, tolerateClients } from './lynx.ts'
import { guard } from './permission/guard.ts'
import { type RoomDeps, routeMap } from './routes.ts'

// An import would load the WebSocket client of node:http too, which takes 3 MiB.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

const MAX_URL_LENGTH = 64 * 1024
const MAX_HEADERS_BYTES = MAX_URL_LENGTH + 32 * 1024

/** Fastify looks for a plugin without this name among all loaded modules. */
const PLUGIN_NAME = Symbol.for('fastify.display-name')

/** Finds `\\u0000` where the backslash is not itself escaped. */
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const mayChange = (request: FastifyRequest): boolean =>
  !reading.has(request.method) && request.routeOptions.config.trace !== readsOnly

export type AppOptions = {
  https?: { cert: Buffer; key: Buffer } | undefined
  /** The proxies that may tell us the address of a caller. Without it none may. */
  trust?: Trust
  /** The origins whose pages may call the API. Without it none may. */
  origins?: Origins
}

/** Builds the one Fastify instance that production and all tests use. */
export async function createApp(
  deps: RoomDeps,
  { https, trust, origins = new Set() }: AppOptions = {}
): Promise<App> {
  const app = Fastify({
    // Sign-in is throttled by address, so only our own proxies may tell us another address.
    trustProxy: trust ?? false,
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    rewriteUrl: ({ url = '' }) => addressOf(withoutExtraSlashes(url)),
    frameworkErrors: answerMalformedUrl,
    routerOptions: {
      ignoreTrailingSlash: true,
      // A metadata key has up to 255 characters, each up to twelve when percent-encoded.
      maxParamLength: 255 * 12
    },
    ...(https
      ? { https: { ...https, maxHeaderSize: MAX_HEADERS_BYTES } }
      : { http: { maxHeaderSize: MAX_HEADERS_BYTES } }),
    clientErrorHandler: answerBrokenRequest
  }) as unknown as App

  // Our lines name the request themselves, so a logger for each request is not needed.
  const { log } = app
  log.child = () => log
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw notFound()
  })
  parseEverythingAsJson(app)
  if (origins === '*' || origins.size > 0) await app.register(cors, openTo(origins))
  // Hooks with a callback where nothing is awaited, and few of them: each promise and each hook costs
  // a microsecond or more, in each request.
  app.addHook('onRequest', (request, reply, done) => {
    watchBody(request.raw, deps.bodyTimeoutMs)
    reply.header('x-request-id', request.id)
    // Caches on the way must not keep the answer; a route may set another value.
    reply.header('cache-control', 'no-store')
    forgetMalformedType(request.headers)
    const { url = '' } = request.raw
    if (url.length > MAX_URL_LENGTH) throw uriTooLong()
    if (url.includes('%00')) throw badRequest('the URL must not contain NUL characters')
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    tolerateParameters(request)
    done()
  })
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    const route = routeOf(routeOptions.url)
    deps.metrics.answered(method, route, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
  // This comes before bodies are removed: the trace reads the id of a new object from the answer.
  traceWrites(app, deps)
  app.addHook('onSend', (request, reply, payload, done) => {
    const send = () => done(null, shown(request, reply, payload))
    if (!mayChange(request)) return send()
    // A caller who wrote something sees the effect in the next request to this node. The write is
    // done even if the registry now fails; a timer tries to catch up again.
    Promise.all([deps.directory.catchUp().catch(() => {}), deps.lineage.note()]).then(send, done)
  })

  guard(app, deps)
  tolerateClients(app)
  app.addHook('preHandler', (request, _reply, done) => {
    const unknown = unknownParameters(request)
    if (unknown || !mayChange(request)) return done(unknown)
    const { method, routeOptions } = request
    const isSmall = routeOptions.config.evenWhenFull || method === 'DELETE'
    // This comes after the guard, so callers who are not signed in learn nothing about the disk.
    if (!isSmall && !deps.hasRoom()) throw diskFull()
    deps.lineage.ahead().then(() => done(), done)
  })
  for (const [prefix, routes] of routeMap) await mount(app, prefix, routes)
  const api = routeMap.filter(([prefix]) => prefix.startsWith('/api/'))
  await app.register(
    async (scope) => {
      speakLynx(scope as App)
      for (const [prefix, routes] of api) await mount(scope as App, prefix, routes)
    },
    { prefix: LYNX }
  )
  await app.ready()
  return app

  /** The payload, without a body where the status has none. */
  function shown({ routeOptions }: FastifyRequest, reply: FastifyReply, payload: unknown) {
    // The next request of this caller goes to another node.
    if (deps.isDraining()) reply.header('connection', 'close')
    if (!routeOptions.config.bodiless?.includes(reply.statusCode)) return payload
    reply.removeHeader('content-type')
    return null
  }

  async function mount(parent: App, prefix: string, routes: Routes<RoomDeps>): Promise<void> {
    const room = async (scope: unknown) => routes(scope as App, deps)
    await parent.register(Object.assign(room, { [PLUGIN_NAME]: prefix }), { prefix })
  }
}

/** The pattern of the route. Both dialects count together. */
const routeOf = (url = 'unknown'): string =>
  url.startsWith(`${LYNX}/`) ? url.slice(LYNX.length) : url

/** The router cannot read such a URL, so no hook has run. */
function answerMalformedUrl(_error: Error, request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-request-id', request.id)
  handleError(badRequest('the URL is malformed'), request, reply)
}

/**
 * Fastify would refuse a malformed content type, such as two that a proxy joined. We do not need
 * it.
 */
function forgetMalformedType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (type !== undefined && !/^[^\s/,;]+\/[^\s/,;]+\s*(;|$)/.test(type)) {
    delete headers['content-type']
  }
}

/** Some clients send JSON with another content type, or with none. */
function parseEverythingAsJson(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body).trim()
    if (text === '') return done(null, undefined)
    // PostgreSQL cannot store NUL in text.
    if (ESCAPED_NUL.test(text)) return done(badRequest('body must not contain NUL characters'))
    try {
      done(null, parseBody(text))
    } catch (error) {
      done(error as Error)
    }
  })
}

type ParserFault = { code: string; rawPacket: unknown; bytesParsed?: number }

/** A request that Node cannot parse still gets a JSON answer. */
function answerBrokenRequest(error: ParserFault, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const { statusCode, message } = faultOf(error)
  const body = JSON.stringify({ message })
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\ncontent-type: ${JSON_TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  )
}

function faultOf({ code, rawPacket, bytesParsed }: ParserFault) {
  if (code !== 'HPE_HEADER_OVERFLOW') return badRequest('malformed HTTP request')
  // If the end of the first line was not reached, everything read so far is the URL.
  const isUrl = Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, bytesParsed).includes('\r')
  return isUrl ? uriTooLong() : headersTooLarge()
}
