import JsonSchema from 'typebox/schema'
import type { Description, Operation, Schema } from './description.ts'
import type { Fuzzed } from './requests.ts'
import { type Answer, PATIENCE_MS } from './sender.ts'

/** Errors that every operation can answer; the description calls them "any other error". */
const ANYWHERE = [408, 413, 414, 431]

/** Operations that accept what their description forbids, and what they do with it. */
const LENIENT: Readonly<Record<string, string>> = {
  verifyGateway: 'capabilities over the bounds are left out',
  registerMobile: 'the answer names the invalid fields [contract: Mobile]'
}

/** Operations that wait for a device, which may be silent. */
const SILENT: Readonly<Record<string, string>> = {
  sendCommand: 'no device of the fuzzed tenant answers'
}

/** What an error must not tell a caller. */
const INSIDES = /SQLITE_|node_modules|\.ts:\d+|\bat \w+ \(|kysely|relation "/i

type Complete = Extract<Answer, { kind: 'answer' }>
type Validator = { Check(value: unknown): boolean; Errors(value: unknown): unknown }

/** Compares answers with the description. */
export class Judge {
  readonly #components: object
  readonly #secret: string
  readonly #validators = new Map<string, Validator>()

  constructor({ components }: Description, secret: string) {
    this.#components = closed(components) as object
    this.#secret = secret
  }

  /** What is wrong with the answer, in words that name no value; undefined if nothing is. */
  faultOf(fuzzed: Fuzzed, answer: Answer): string | undefined {
    const { operation, wire, caller, isForbidden } = fuzzed
    if (answer.kind === 'silence') return `no answer within ${PATIENCE_MS / 1000} s`
    if (answer.kind === 'hung up') return undefined
    if (answer.kind === 'closed') return `no answer: ${answer.why}`
    const { status, body, retryAfter } = answer
    const isOurs = status >= 500 && !(operation.id in SILENT && status === 504)
    if (isOurs) return `status ${status}`
    if (caller.who !== 'administrator' && body.includes(this.#secret)) {
      return `${caller.who} sees the other tenant`
    }
    if (status >= 400 && INSIDES.test(body.toString())) return 'the error shows our insides'
    if (status === 429 && !/^\d+$/.test(retryAfter)) return '429 does not say when to try again'
    const isDescribed = !wire.isRerouted || wire.path.startsWith('/lynx/')
    if (isDescribed && caller.who === 'nobody' && status < 300 && operation.security.length > 0) {
      return `${status} for nobody`
    }
    if (wire.isRerouted) return reroutedFault(wire.method, answer)
    const isStrict = !(operation.id in LENIENT)
    if (isForbidden && isStrict && status < 300) return `accepts ${fuzzed.what}`
    return this.#undescribed(operation, answer)
  }

  #undescribed({ responses }: Operation, { status, type, body }: Complete): string | undefined {
    const isNamed = responses[status] !== undefined
    if (!isNamed && (status < 400 || !ANYWHERE.includes(status))) {
      return `status ${status} is not described`
    }
    const { content } = responses[status] ?? responses['default'] ?? {}
    if (!content) return body.length > 0 ? `${status} has a body` : undefined
    const media = content[type]
    if (!media) return `${status} has the type ${type || 'nothing'}`
    if (type !== 'application/json') return undefined
    const value = parsed(body)
    if (value === undefined) return `${status} is not JSON`
    const validator = this.#validator(media.schema ?? {})
    if (validator.Check(value)) return undefined
    return `${status} does not fit: ${JSON.stringify(validator.Errors(value)).slice(0, 300)}`
  }

  /** Many answers have the same schema, and compiling one takes milliseconds. */
  #validator(schema: Schema): Validator {
    const name = schema.$ref ?? JSON.stringify(schema)
    const known = this.#validators.get(name)
    if (known) return known
    const whole = { ...(closed(schema) as object), components: this.#components }
    const validator = JsonSchema.Compile(whole) as Validator
    this.#validators.set(name, validator)
    return validator
  }
}

/** Whatever answers there: an error has the usual form. */
function reroutedFault(method: string, { status, type, body }: Complete): string | undefined {
  if (status < 400 || method === 'HEAD' || body.length === 0) return undefined
  const { message, error } = (parsed(body) ?? {}) as { message?: string; error?: string }
  const isUsual = type === 'application/json' && typeof (message ?? error) === 'string'
  return isUsual ? undefined : `${status} without a message`
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** The same schema without fields that it does not name. */
function closed(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(closed)
  if (typeof given !== 'object' || given === null) return given
  const schema = Object.fromEntries(Object.entries(given).map(([key, one]) => [key, closed(one)]))
  const { type, properties, additionalProperties } = schema as Schema
  const isOpen =
    type !== 'object' ||
    additionalProperties !== undefined ||
    Object.keys(properties ?? {}).length === 0
  return isOpen ? schema : { ...schema, additionalProperties: false }
}
