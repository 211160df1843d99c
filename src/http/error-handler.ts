import type { FastifyError, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { TooManyAtOnce } from '../lib/fair-slots.ts'
import { isDiskFull } from '../lib/storage-fault.ts'
import { WalkTooLong } from '../lib/topic-walk.ts'
import { Unavailable } from '../lib/unavailable.ts'
import {
  ApiError,
  badRequest,
  clientCancelled,
  internal,
  noSpace,
  notFound,
  payloadTooLarge,
  timedOut,
  tooManyAtOnce,
  unavailable
} from './errors.ts'
import { faultText } from './faults.ts'
import { sendJsonText } from './json-text.ts'
import { Unfit } from './validation.ts'

/** Everything a route can throw becomes a status and a body here, and nowhere else. */
export function handleError(
  error: FastifyError | ApiError | Error,
  request: FastifyRequest,
  reply: FastifyReply
) {
  const answer = answerTo(error, request)
  if (answer.statusCode >= 500) {
    request.log.error({ err: error.cause ?? error, reqId: request.id }, answer.message)
  }
  if (answer.statusCode === 499)
    request.log.info({ reqId: request.id, status: 499 }, answer.message)
  if (isBodyTooLarge(error)) {
    // Who is still sending can finish and then reads why it was for nothing.
    reply.removeHeader('connection')
    request.raw.resume()
  }
  const key = request.routeOptions.config.errorKeys?.[answer.statusCode] ?? 'message'
  reply.code(answer.statusCode).headers(answer.headers)
  return sendJsonText(reply, JSON.stringify({ [key]: answer.message }))
}

const isBodyTooLarge = (error: Error): boolean =>
  'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'

function answerTo(error: FastifyError | ApiError | Error, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Unfit) return badRequest(whatIsWrong(request))
  if (isBodyTooLarge(error)) return payloadTooLarge()
  if (isOrphan(error)) return notFound()
  if (error.name === 'AbortError') return clientCancelled()
  if (error.name === 'TimeoutError') return timedOut()
  if (isDiskFull(error)) return noSpace(error)
  if (error instanceof TooManyAtOnce) return tooManyAtOnce()
  if (error instanceof WalkTooLong) {
    return badRequest('topics: these filters take too long on so many topics; send fewer of them')
  }
  if (error instanceof Unavailable || isLostConnection(error)) return unavailable(error)
  if ('statusCode' in error && error.statusCode && error.statusCode < 500) {
    return new ApiError(error.statusCode, error.message)
  }
  return internal()
}

/** Of the whole request: validation ends with the first part that does not fit. */
function whatIsWrong({ routeOptions, params, query, body }: FastifyRequest): string {
  const { params: path, querystring, body: content } = (routeOptions.schema ?? {}) as Described
  return faultText([
    { name: 'path', schema: path, value: params },
    { name: 'query', schema: querystring, value: query },
    { name: 'body', schema: content, value: body }
  ])
}

type Described = { [Name in keyof FastifySchema]: TSchema }

/** What the write belongs to was deleted while the request was under way. */
const isOrphan = (error: Error): boolean =>
  ('code' in error && error.code === '23503') ||
  error.message.includes('FOREIGN KEY constraint failed')

/** A registry or history server out of reach is a pause, not a bug. */
function isLostConnection(error: Error): boolean {
  if (LOST_SAYS.test(error.message)) return true
  const code = 'code' in error ? String(error.code) : ''
  return LOST.has(code) || code.startsWith('08')
}

/** What pg and Kysely say without a code. */
const LOST_SAYS =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|is not queryable|connection has been discarded/

/** Of the system, and of PostgreSQL: shut down, starting, cancelled, full, and what may be tried again. */
const LOST: ReadonlySet<string> = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EHOSTUNREACH EAI_AGAIN 57P01 57P02 57P03 57014 53300 40P01 40001'.split(
    ' '
  )
)
