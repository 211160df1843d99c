import type { TraceAction, TraceObject } from '../lib/trace.ts'

/** Describes a write for the trace. */
export type Trace = {
  action: Exclude<TraceAction, 'failed' | 'view'>
  object: TraceObject
  /**
   * Where the id of the object is: a path parameter, `id` of the body or of the answer, the caller,
   * or nowhere.
   */
  id: { param: string } | 'body' | 'answer' | 'caller' | 'none'
  /** The start of the description. The changed object follows. */
  text: string
}

/** For a POST that only reads. */
export const readsOnly = 'nothing'
/** For a POST that stores values. History has them, and they are too many for the trace. */
export const storesValues = readsOnly

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
/** For an object that exists only once. */
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
/** A sign-in or sign-out of the user that the route finds. */
export const authenticates = (text: string): Trace => ({
  action: 'auth',
  object: 'user',
  id: 'caller',
  text
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on every route except GET. */
    trace?: Trace | typeof readsOnly
  }
  interface FastifyRequest {
    /** The user that a route without a principal has found; 0 = none. */
    signedInAs: number
    /** Set by a route that succeeded but changed nothing. */
    changedNothing: boolean
    /** Set by a route that changed something, even if its answer is an error. */
    changedAnyway: boolean
    /** Set by a route that can describe the change more exactly. */
    traceText: string | undefined
  }
}
