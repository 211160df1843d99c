import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { guard } from './access/guard.ts'
import { readsOnly, traceWrites } from './access/trace.ts'
import type { App, Deps, Routes } from './deps.ts'
import { addressOf, LYNX, speakLynx, tolerateClients } from './dialect.ts'
import { watchBodies } from './http/body-progress.ts'
import { handleError } from './http/error-handler.ts'
import {
  badRequest,
  bodyTooIntricate,
  diskFull,
  headersTooLarge,
  notFound,
  uriTooLong
} from './http/errors.ts'
import { JSON_TYPE } from './http/json-text.ts'
import { openapi } from './http/openapi.ts'
import { tolerateParameters } from './http/parameters.ts'
import type { Trust } from './http/proxies.ts'
import { unknownParameters } from './http/unknown-parameters.ts'
import { validatorCompiler } from './http/validation.ts'
import { withoutExtraSlashes } from './lib/url-path.ts'
import { routeMap } from './routes.ts'

const MAX_URL = 64 * 1024
const MAX_HEADERS = MAX_URL + 32 * 1024

/** `\\u0000` whose backslash is not itself escaped. */
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/

/** Quotes and brackets of a JSON body: reading it takes time for each of them. */
const MAX_MARKS = 100_000
const marks = new Set(['"', '{', '['].map((mark) => mark.charCodeAt(0)))

function isIntricate(text: string): boolean {
  if (text.length <= MAX_MARKS) return false
  let found = 0
  for (let at = 0; at < text.length; at++) if (marks.has(text.charCodeAt(at))) found++
  return found > MAX_MARKS
}

const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

export type AppOptions = {
  https?: { cert: Buffer; key: Buffer } | undefined
  /** Without it nobody is believed another address than its own. */
  trust?: Trust
}

/** The one Fastify instance, for production and for every test. */
export async function createApp(deps: Deps, { https, trust }: AppOptions = {}): Promise<App> {
  const app = Fastify({
    // Sign-in is throttled by address: nobody but a proxy of ours may tell another one.
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
      ? { https: { ...https, maxHeaderSize: MAX_HEADERS } }
      : { http: { maxHeaderSize: MAX_HEADERS } }),
    clientErrorHandler: answerBrokenRequest
  }) as unknown as App

  app.setValidatorCompiler(validatorCompiler)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw notFound()
  })
  parseEverythingAsJson(app)
  watchBodies(app, deps.bodyTimeoutMs)

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    // Nobody on the way keeps what is meant for the caller; a route may say otherwise.
    reply.header('cache-control', 'no-store')
    forgetMalformedType(request.headers)
    const { url = '' } = request.raw
    if (url.length > MAX_URL) throw uriTooLong()
    if (url.includes('%00')) throw badRequest('the URL must not contain NUL characters')
  })
  app.addHook('preValidation', async (request) => tolerateParameters(request))
  app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
    const route = routeOptions.url ?? 'unknown'
    deps.metrics.answered(method, route, reply.statusCode, reply.elapsedTime / 1000)
  })
  // Before bodies are left out: the answer may have the id of what was made.
  traceWrites(app, deps)
  // Whoever wrote sees the effect with the next request, on this node at once.
  app.addHook('onSend', async ({ method, routeOptions }, reply, payload) => {
    if (isWrite(method)) {
      // An answer is an answer, also when the registry went away behind it; the timer tries again.
      await Promise.all([deps.directory.catchUp().catch(() => {}), deps.lineage.note()])
    }
    if (!routeOptions.config.bodiless?.includes(reply.statusCode)) return payload
    reply.removeHeader('content-type')
    return null
  })

  await app.register(swagger, openapi)
  guard(app, deps)
  app.addHook('preHandler', (request, _reply, done) => done(unknownParameters(request)))
  tolerateClients(app)
  // After the guard: strangers learn nothing about the disk.
  app.addHook('preHandler', async ({ method, routeOptions: { config } }) => {
    if (!isWrite(method) || config.trace === readsOnly) return
    if (!config.evenWhenFull && method !== 'DELETE' && !deps.hasRoom()) throw diskFull()
    await deps.lineage.ahead()
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

  async function mount(parent: App, prefix: string, routes: Routes): Promise<void> {
    await parent.register(async (scope) => routes(scope as App, deps), { prefix })
  }
}

/** The router cannot read it, so no hook has run. */
function answerMalformedUrl(_error: Error, request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-request-id', request.id)
  handleError(badRequest('the URL is malformed'), request, reply)
}

/** Such as two that a proxy joined: it would be refused, and says nothing that we need. */
function forgetMalformedType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (type !== undefined && !/^[^\s/,;]+\/[^\s/,;]+\s*(;|$)/.test(type)) {
    delete headers['content-type']
  }
}

/** Clients say text/plain, nothing at all or something else, and mean JSON. */
function parseEverythingAsJson(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body).trim()
    if (text === '') return done(null, undefined)
    if (isIntricate(text)) return done(bodyTooIntricate(MAX_MARKS))
    // PostgreSQL keeps no NUL in text, and nobody means one.
    if (ESCAPED_NUL.test(text)) return done(badRequest('body must not contain NUL characters'))
    try {
      done(null, JSON.parse(text))
    } catch {
      done(badRequest('body is not valid JSON'))
    }
  })
}

type ParserFault = { code: string; rawPacket: unknown; bytesParsed?: number }

/** Requests that Node's parser gives up on still get a JSON answer. */
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
  // As far as it was read without the end of its first line, it is all URL.
  const isUrl = Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, bytesParsed).includes('\r')
  return isUrl ? uriTooLong() : headersTooLarge()
}
