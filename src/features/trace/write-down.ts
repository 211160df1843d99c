import type { FastifyRequest } from 'fastify'
import type { App, Deps } from '../../deps.ts'
import { noOwner, type Owner } from '../../holding.ts'
import { afterAnswer } from '../../http/after-answer.ts'
import { basicCredentials } from '../../http/credentials.ts'
import { readsOnly, type Trace } from '../../http/traced.ts'
import { traceId, tracePath } from '../../lib/trace.ts'
import { findUserByEmail } from '../../registry/users.ts'
import type { TraceDeps } from './deps.ts'
import type { NewTrace } from './entries.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of an object that the request deletes, read before the deletion. */
    formerOwner: Owner | undefined
  }
}

/** The longest form of an IPv6 address, with a zone. */
const MAX_ADDRESS_CHARACTERS = 64

type Params = Readonly<Record<string, unknown>>

/** Records every successful write before its answer, and some refused ones. [ADR-0023] */
export function traceWrites(app: App, deps: Deps & TraceDeps): void {
  const { trace: recorder, holdings, directory, registry, clock, log } = deps
  const objects = new Map(
    holdings.flatMap(({ traced }) => (traced ? [[traced.object, traced]] : []))
  )
  app.decorateRequest('signedInAs', 0)
  app.decorateRequest('changedNothing', false)
  app.decorateRequest('changedAnyway', false)
  app.decorateRequest('formerOwner')
  app.decorateRequest('traceText')

  app.addHook('preHandler', (request, _reply, done) => {
    if (request.method === 'GET') return done()
    const trace = traceOf(request)
    if (trace?.action !== 'delete') return done()
    placeOf(request, trace, idOf(request, trace)).then((owner) => {
      request.formerOwner = owner
      done()
    }, done)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.method === 'GET') return done(null, payload)
    const { statusCode } = reply
    const trace = traceOf(request)
    const isRefused = statusCode === 401 || statusCode === 403
    const isDone = statusCode < 300 || request.changedAnyway
    if (!trace || request.changedNothing || !(isDone || isRefused)) return done(null, payload)
    const caller = callerOf(request)
    const owner = request.principal?.owner ?? (caller && `user:${caller}`)
    const write = async () => {
      const entries = isRefused
        ? [await refusal(request, trace, statusCode)]
        : await successes(request, trace, payload)
      await recorder.record(entries)
    }
    const written = () =>
      write().catch((err) => log.error({ err, reqId: request.id }, 'a write could not be traced'))
    if (!isRefused && owner !== undefined) {
      written().then(() => done(null, payload), done)
      return
    }
    // After the answer, so that its time reveals nothing about existing objects.
    if (recorder.allows(owner ? { owner } : { address: request.ip })) afterAnswer(reply, written)
    done(null, payload)
  })

  async function successes(request: FastifyRequest, trace: Trace, payload: unknown) {
    const ids = trace.id === 'answer' ? idsIn(payload) : [await idOrAccount(request, trace)]
    return Promise.all(
      ids.map(async (id) => {
        const description = `${request.traceText ?? trace.text} ${textOf(trace, id)}${byWhom(request)}`
        return { ...(await entryOf(request, trace, id)), description }
      })
    )
  }

  async function refusal(request: FastifyRequest, trace: Trace, status: number): Promise<NewTrace> {
    const id = await idOrAccount(request, trace)
    const what = `${trace.action} of ${textOf(trace, id)}`
    return {
      ...(await entryOf(request, trace, id)),
      action: 'failed',
      description: `refused (${status}): ${what}${byWhom(request)}`
    }
  }

  async function entryOf(request: FastifyRequest, trace: Trace, id: number | undefined) {
    return {
      timestamp: clock(),
      user_id: callerOf(request) ?? 0,
      method: request.method,
      path: tracePath(request.routeOptions.url ?? '', paramsOf(request)),
      action: trace.action,
      object_type: trace.object,
      object_id: id ?? 0,
      address: request.ip.slice(0, MAX_ADDRESS_CHARACTERS),
      ...(request.formerOwner ?? (await placeOf(request, trace, id)))
    }
  }

  /**
   * The installation or organization of the object, from the path or looked up. It decides who sees
   * the entry.
   */
  async function placeOf(
    request: FastifyRequest,
    { object }: Trace,
    id: number | undefined
  ): Promise<Owner> {
    const params = paramsOf(request)
    const installation_id = traceId(params['installation_id'])
    if (installation_id !== undefined) {
      const ref = request.installation ?? directory.installation(installation_id)
      return { installation_id, organization_id: ref?.organization_id ?? null }
    }
    const organization_id = traceId(params['organization_id'])
    if (organization_id !== undefined) return { installation_id: null, organization_id }
    return id === undefined ? noOwner : (objects.get(object)?.ownerOf(deps, id) ?? noOwner)
  }

  /** For a failed sign-in or a request for a new password: the id of the account it was for. */
  async function idOrAccount(request: FastifyRequest, trace: Trace): Promise<number | undefined> {
    const id = idOf(request, trace)
    if (id !== undefined || trace.id !== 'caller') return id
    const { email } = (request.body ?? {}) as { email?: unknown }
    const name = basicCredentials(request)?.name ?? email
    return typeof name === 'string' ? (await findUserByEmail(registry, name))?.id : undefined
  }
}

const traceOf = ({ routeOptions }: FastifyRequest): Trace | undefined => {
  const { trace } = routeOptions.config
  return trace === readsOnly ? undefined : trace
}

const paramsOf = ({ params }: FastifyRequest): Params => (params ?? {}) as Params

const callerOf = ({ principal, pendingToken, signedInAs }: FastifyRequest): number | undefined =>
  principal?.userId || pendingToken?.user_id || signedInAs || undefined

function idOf(request: FastifyRequest, { id }: Trace): number | undefined {
  if (id === 'caller') return callerOf(request)
  if (id === 'body') return traceId((request.body as { id?: unknown } | undefined | null)?.id)
  if (typeof id === 'string') return undefined
  const value = paramsOf(request)[id.param]
  return value === 'me' ? callerOf(request) : traceId(value)
}

/** The ids in an answer, which is one object or a list. */
function idsIn(payload: unknown): (number | undefined)[] {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return [undefined]
  const answers: { id?: unknown }[] = [JSON.parse(payload.toString())].flat()
  return answers.map(({ id }) => traceId(id))
}

const textOf = ({ object }: Trace, id: number | undefined): string =>
  `${object.replaceAll('_', ' ')}${id === undefined ? '' : ` ${id}`}`

const byWhom = ({ principal }: FastifyRequest): string =>
  principal && principal.kind !== 'user' ? `, by ${principal.owner.replace(':', ' ')}` : ''
