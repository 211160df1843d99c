import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Who } from './callers.ts'
import { type Description, operationsOf } from './description.ts'
import { Judge } from './judge.ts'
import type { Answer } from './sender.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const failure = json({ $ref: '#/components/schemas/Error' })

const description: Description = {
  components: {
    schemas: {
      Error: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
      Lamp: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
    }
  },
  paths: {
    '/lamp': {
      get: {
        operationId: 'getLamp',
        security: [{ apiKeyAuth: [] }],
        responses: {
          200: json({ $ref: '#/components/schemas/Lamp' }),
          204: {},
          403: failure,
          default: failure
        }
      }
    }
  }
}

test('the judge sees what is wrong with an answer', () => {
  const judge = new Judge(description, 'secret-word')
  const [operation] = operationsOf(description)
  assert(operation)
  const f = (
    answer: { status: number; body?: unknown; type?: string } | { kind: 'silence' },
    want: RegExp | undefined,
    { who = 'member', isForbidden = false, isRerouted = false }: Given = {}
  ) => {
    const wire = { method: 'GET', path: '/lamp', headers: {}, body: undefined, isRerouted }
    const fuzzed = {
      ...{
        number: 1,
        operation,
        caller: { who, headers: {} },
        what: 'x',
        isForbidden,
        wire,
        isTwin: false
      }
    }
    const fault = judge.faultOf(fuzzed, completed(answer))
    if (want === undefined) assert.equal(fault, undefined)
    else assert.match(fault ?? '', want)
  }
  type Given = { who?: Who; isForbidden?: boolean; isRerouted?: boolean }

  f({ status: 200, body: { id: 1 } }, undefined)
  f({ status: 403, body: { message: 'Forbidden' } }, undefined)
  f({ status: 413, body: { message: 'Body too large' } }, undefined)
  f({ status: 204 }, undefined)
  f({ kind: 'silence' }, /no answer within 20 s/)
  f({ status: 500, body: { message: 'x' } }, /status 500/)
  f({ status: 503, body: { message: 'x' } }, /status 503/, { isRerouted: true })
  f({ status: 404, body: { message: 'x' } }, /404 is not described/)
  f({ status: 201, body: {} }, /201 is not described/)
  f({ status: 200, body: { id: '1' } }, /200 does not fit/)
  f({ status: 200, body: { id: 1, password: 'x' } }, /200 does not fit/)
  f({ status: 200, body: {} }, /200 does not fit/)
  f({ status: 403, body: { error: 'x' } }, /403 does not fit/)
  f({ status: 200, body: '{"id":', type: 'application/json' }, /is not JSON/)
  f({ status: 200, body: '<p>', type: 'text/html' }, /has the type text\/html/)
  f({ status: 204, body: { id: 1 } }, /204 has a body/)
  f({ status: 429, body: { message: 'x' } }, /429 does not say when/)
  f({ status: 403, body: { message: 'SQLITE_BUSY' } }, /insides/)
  f({ status: 403, body: { message: 'no secret-word here' } }, /sees the other tenant/)
  f({ status: 403, body: { message: 'no secret-word here' } }, undefined, { who: 'administrator' })
  f({ status: 200, body: { id: 1 } }, /200 for nobody/, { who: 'nobody' })
  f({ status: 200, body: { id: 1 } }, /accepts x/, { isForbidden: true })
  f({ status: 404, body: { message: 'x' } }, undefined, { isRerouted: true })
  f({ status: 404, body: '<p>', type: 'text/html' }, /without a message/, { isRerouted: true })
})

function completed(
  given: { status: number; body?: unknown; type?: string } | { kind: 'silence' }
): Answer {
  if ('kind' in given) return given
  const { status, body, type = body === undefined ? '' : 'application/json' } = given
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  return { kind: 'answer', status, type, retryAfter: '', body: Buffer.from(text) }
}
