import type { FastifyRequest } from 'fastify'
import type { App, Deps } from '../deps.ts'
import { afterAnswer } from '../http/after-answer.ts'
import { type TraceAction, type TraceObject, traceId, tracePath } from '../lib/trace.ts'
import type { NewTrace } from '../registry/trace.ts'
import { findUserByEmail } from '../registry/users.ts'
import { basicCredentials } from './guard.ts'
import { nobody, ownerOf, type TraceOwner } from './trace-owner.ts'

/** What a write is, for the trace. */
export type Trace = {
  action: Exclude<TraceAction, 'failed' | 'view'>
  object: TraceObject
  /** Where the id of the object is: in a parameter of the path, `id` of the body or the answer, it is the caller, or there is none. */
  id: { param: string } | 'body' | 'answer' | 'caller' | 'none'
  /** Begins the description; what it was done to follows. */
  text: string
}

/** It changes nothing: a POST that reads. */
export const readsOnly = 'nothing'

export const creates = (object: TraceObject): Trace => ({
  action: 'create',
  object,
  id: 'answer',
  text: 'created'
})
export const updates = (object: TraceObject, param: string, text = 'updated'): Trace => ({
  action: 'update',
  object,
  id: { param },
  text
})
/** What there is only one of. */
export const updatesThe = (object: TraceObject): Trace => ({
  action: 'update',
  object,
  id: 'none',
  text: 'updated'
})
export const updatesCaller = (text: string): Trace => ({
  action: 'update',
  object: 'user',
  id: 'caller',
  text
})
export const deletes = (object: TraceObject, param: string): Trace => ({
  action: 'delete',
  object,
  id: { param },
  text: 'deleted'
})
export const executes = (object: TraceObject, param: string, text: string): Trace => ({
  action: 'execute',
  object,
  id: { param },
  text
})
/** A sign-in or its end, of the user that the route finds. */
export const authenticates = (text: string): Trace => ({
  action: 'auth',
  object: 'user',
  id: 'caller',
  text
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On every route that is no GET. */
    trace?: Trace | typeof readsOnly
  }
  interface FastifyRequest {
    /** The user that a route without a principal found out; 0 = none. */
    signedInAs: number
    /** Set by a route that succeeded without a change. */
    changedNothing: boolean
    /** Set by a route that knows more exactly what was done. */
    traceText: string | undefined
    /** Of what may be gone when the answer is there. */
    formerOwner: TraceOwner | undefined
  }
}

type Params = Readonly<Record<string, unknown>>

/** Writes down every write that succeeded before it is answered, and some that were refused. [ADR-0023] */
export function traceWrites(app: App, deps: Deps): void {
  const { trace: recorder, directory, registry, clock, log } = deps
  app.decorateRequest('signedInAs', 0)
  app.decorateRequest('changedNothing', false)
  app.decorateRequest('formerOwner')
  app.decorateRequest('traceText')

  app.addHook('preHandler', async (request) => {
    const trace = traceOf(request)
    if (trace?.action !== 'delete') return
    request.formerOwner = await placeOf(request, trace, idOf(request, trace))
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { statusCode } = reply
    const trace = traceOf(request)
    const isRefused = statusCode === 401 || statusCode === 403
    if (!trace || request.changedNothing || (statusCode >= 300 && !isRefused)) return payload
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
    if (!isRefused && owner !== undefined) await written()
    // The time must tell nothing about what is there.
    else if (recorder.allows(owner ? { owner } : { address: request.ip }))
      afterAnswer(reply, written)
    return payload
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
      ...(request.formerOwner ?? (await placeOf(request, trace, id)))
    }
  }

  /** What the object is in, by which others will find the entry: named by the path, or looked up. */
  async function placeOf(
    request: FastifyRequest,
    { object }: Trace,
    id: number | undefined
  ): Promise<TraceOwner> {
    const params = paramsOf(request)
    const installation_id = traceId(params['installation_id'])
    if (installation_id !== undefined) {
      const ref = request.installation ?? directory.installation(installation_id)
      return { installation_id, organization_id: ref?.organization_id ?? null }
    }
    const organization_id = traceId(params['organization_id'])
    if (organization_id !== undefined) return { installation_id: null, organization_id }
    return id === undefined ? nobody : ownerOf(deps, object, id)
  }

  /** Of a sign-in that failed, or a new password that was asked for, the account that is meant. */
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

/** Of one object, or of a list of them. */
function idsIn(payload: unknown): (number | undefined)[] {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return [undefined]
  const answers: { id?: unknown }[] = [JSON.parse(payload.toString())].flat()
  return answers.map(({ id }) => traceId(id))
}

const textOf = ({ object }: Trace, id: number | undefined): string =>
  `${object.replaceAll('_', ' ')}${id === undefined ? '' : ` ${id}`}`

const byWhom = ({ principal }: FastifyRequest): string =>
  principal && principal.kind !== 'user' ? `, by ${principal.owner.replace(':', ' ')}` : ''
