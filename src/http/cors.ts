import type { FastifyCorsOptions, FastifyCorsOptionsDelegateCallback } from '@fastify/cors'
import type { Origins } from '../lib/origins.ts'

/** A browser asks again after this time. A changed setting takes effect as late as that. */
const MAX_AGE_SECONDS = 600

const API = /^\/(api|lynx)\//

/** There are no cookies, so no page gets an answer that its own code did not sign in for. */
const open: FastifyCorsOptions = {
  credentials: false,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['X-API-Key', 'Authorization', 'Content-Type', 'If-Match'],
  exposedHeaders: ['Retry-After', 'Content-Disposition', 'X-Request-Id', 'ETag'],
  maxAge: MAX_AGE_SECONDS,
  strictPreflight: false
}
const closed: FastifyCorsOptions = { origin: false }

/**
 * Pages of these origins may call the API. It must be registered before all other hooks: a
 * preflight carries no credentials, and errors need the headers too.
 */
export const openTo = (origins: Origins): { delegator: FastifyCorsOptionsDelegateCallback } => ({
  delegator: ({ url, headers: { origin } }, done) => {
    const isListed = origin !== undefined && (origins === '*' || origins.has(origin))
    done(
      null,
      isListed && API.test(url) ? { ...open, origin: origins === '*' ? '*' : origin } : closed
    )
  }
})
