import type { FastifyError, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { TooManyValues } from '../lib/aggregation.ts'
import { TooManyAtOnce } from '../lib/fair-slots.ts'
import { isDamaged, isDiskFull } from '../lib/storage-fault.ts'
import { WalkTooLong } from '../lib/topic-walk.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { MINUTE } from '../lib/unix-time.ts'
import {
  ApiError,
  badRequest,
  clientCancelled,
  damaged,
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

/** Time to read the rest of a body that is too large. */
const REST_LIMIT_MS = MINUTE

/** Turns every error of a route into a status and a body. No other place does this. */
export function handleError(
  error: FastifyError | ApiError | Error,
  request: FastifyRequest,
  reply: FastifyReply
) {
  const answer = answerTo(error, request)
  // A device that does not answer in time is no fault of the platform.
  if (answer.statusCode >= 500 && answer.statusCode !== 504) {
    request.log.error({ err: error.cause ?? error, reqId: request.id }, answer.message)
  }
  if (answer.statusCode === 499)
    request.log.info({ reqId: request.id, status: 499 }, answer.message)
  const key = request.routeOptions.config.errorKeys?.[answer.statusCode] ?? 'message'
  reply.code(answer.statusCode).headers(answer.headers)
  if (answer.statusCode === 413) readTheRest(request, reply)
  return sendJsonText(reply, JSON.stringify({ [key]: answer.message, ...answer.details }))
}

/** Reads the rest: closing a connection while the caller still sends would lose the answer. */
function readTheRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection')
  if (raw.closed) return
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), REST_LIMIT_MS)
  // A caller who hangs up after the answer closes the connection, but not this.
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
}

function answerTo(error: FastifyError | ApiError | Error, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Unfit) return badRequest(whatIsWrong(request))
  if ('code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge()
  if (isOrphan(error)) return notFound()
  if (error.name === 'AbortError' || isCutOff(error, request)) return clientCancelled()
  if (error.name === 'TimeoutError') return timedOut()
  if (isDiskFull(error)) return noSpace(error)
  if (isDamaged(error)) return damaged(error)
  if (error instanceof TooManyAtOnce) return tooManyAtOnce()
  if (error instanceof TooManyValues) {
    return badRequest(
      'aggr_interval: one interval has too many different values for a median or percentile; choose a shorter one'
    )
  }
  if (error instanceof WalkTooLong) {
    return badRequest('topics: these filters take too long on so many topics; send fewer of them')
  }
  if (error instanceof Unavailable || isLostConnection(error)) return unavailable(error)
  if ('statusCode' in error && error.statusCode && error.statusCode < 500) {
    return new ApiError(error.statusCode, error.message)
  }
  return internal()
}

/** Checks the whole request, because validation stops at the first part that does not fit. */
function whatIsWrong({ routeOptions, params, query, body }: FastifyRequest): string {
  const { params: path, querystring, body: content } = (routeOptions.schema ?? {}) as Described
  return faultText([
    { name: 'path', schema: path, value: params },
    { name: 'query', schema: querystring, value: query },
    { name: 'body', schema: content, value: body }
  ])
}

type Described = { [Name in keyof FastifySchema]: TSchema }

/** The owner of the new row was deleted during the request. */
const isOrphan = (error: Error): boolean =>
  ('code' in error && error.code === '23503') ||
  error.message.includes('FOREIGN KEY constraint failed')

/** The caller hung up in the middle of the body. */
const isCutOff = (error: Error, { raw }: FastifyRequest): boolean =>
  'code' in error && error.code === 'ECONNRESET' && raw.destroyed && !raw.complete

/** A registry or history server that cannot be reached is a temporary problem, not a bug. */
function isLostConnection(error: Error): boolean {
  if (LOST_MESSAGES.test(error.message)) return true
  const code = 'code' in error ? String(error.code) : ''
  return LOST_CODES.has(code) || code.startsWith('08')
}

/** Messages of pg and Kysely that have no code. */
const LOST_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|is not queryable|connection has been discarded/

/**
 * Codes of the system and of PostgreSQL: shut down, starting, cancelled, full, or worth another
 * try.
 */
const LOST_CODES: ReadonlySet<string> = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOTFOUND EHOSTUNREACH EAI_AGAIN 57P01 57P02 57P03 57014 53300 40P01 40001'.split(
    ' '
  )
)
