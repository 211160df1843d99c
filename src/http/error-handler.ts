import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Unavailable } from '../lib/unavailable.ts'
import {
  ApiError,
  badRequest,
  clientCancelled,
  internal,
  notFound,
  payloadTooLarge,
  timedOut,
  unavailable
} from './errors.ts'
import { sendJsonText } from './json-text.ts'

/** Everything a route can throw becomes a status and a body here, and nowhere else. */
export function handleError(
  error: FastifyError | ApiError | Error,
  request: FastifyRequest,
  reply: FastifyReply
) {
  const answer = answerTo(error)
  if (answer.statusCode >= 500) {
    request.log.error({ err: error.cause ?? error, reqId: request.id }, answer.message)
  }
  if (answer.statusCode === 499)
    request.log.info({ reqId: request.id, status: 499 }, answer.message)
  const key = request.routeOptions.config.errorKeys?.[answer.statusCode] ?? 'message'
  reply.code(answer.statusCode).headers(answer.headers)
  return sendJsonText(reply, JSON.stringify({ [key]: answer.message }))
}

function answerTo(error: FastifyError | ApiError | Error): ApiError {
  if (error instanceof ApiError) return error
  if ('validation' in error && error.validation) return badRequest(validationText(error))
  if ('code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge()
  if (isOrphan(error)) return notFound()
  if (error.name === 'AbortError') return clientCancelled()
  if (error.name === 'TimeoutError') return timedOut()
  if (error instanceof Unavailable || isLostConnection(error)) return unavailable(error)
  if ('statusCode' in error && error.statusCode && error.statusCode < 500) {
    return new ApiError(error.statusCode, error.message)
  }
  return internal()
}

/** `limit must be >= 0`: the field by its own name, or the part of the request that is missing. */
function validationText({ validation = [], validationContext }: FastifyError): string {
  const [fault] = validation
  if (!fault) return 'bad request'
  const path = fault.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/')
  const [missing] = (fault.params['requiredProperties'] ?? []) as string[]
  if (missing) return `${[path, missing].filter(Boolean).join('.')} is required`
  const choices = validation
    .filter(({ instancePath }) => instancePath === fault.instancePath)
    .flatMap(({ params }) => params['allowedValue'] ?? [])
  const expectation = choices.length > 0 ? `must be ${choices.join(' or ')}` : fault.message
  return `${path || validationContext} ${expectation}`
}

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
