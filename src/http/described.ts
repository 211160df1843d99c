import type { TSchema } from 'typebox'

/** What routes say for the description of the API, which tools/openapi makes. Nothing is checked by it. */
declare module 'fastify' {
  interface FastifyContextConfig {
    /** The schema of a body that the route reads itself. */
    body?: TSchema
  }
  interface FastifySchema {
    hide?: boolean
    tags?: readonly string[]
    summary?: string
    operationId?: string
    produces?: readonly string[]
    security?: ReadonlyArray<{ [securityLabel: string]: readonly string[] }>
    /** Statuses of errors that only some routes answer. */
    faults?: readonly number[]
  }
}

/** For a body schema: the route also answers without a body. */
export const OPTIONAL_BODY = { 'x-optional': true }

/** For public routes that read the credentials themselves. */
export const withPassword = [{ userAuth: [] }]
export const withKey = [{ apiKeyAuth: [] }]

type Keywords = Readonly<Record<string, unknown>>

/** For bounds that the handler checks, with words of its own: shown, but not validated. */
export const checkedLater = (keywords: Keywords) => ({ 'x-checked-later': keywords })

/** What a new object gets for fields that are missing. */
export const defaults = (values: Keywords) => ({ 'x-defaults': values })
