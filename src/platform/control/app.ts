import Fastify, { LogController } from 'fastify'
import type { App } from '../../deps.ts'
import { handleError } from '../../http/error-handler.ts'
import { notFound } from '../../http/errors.ts'
import { serializerCompiler, validatorCompiler } from '../../http/validation.ts'
import { MINUTE, SECOND } from '../../lib/unix-time.ts'
import { accountRoutes } from './account-routes.ts'
import { backupRoutes } from './backup-routes.ts'
import { clockRoutes } from './clock-routes.ts'
import type { ControlParts, ControlRoutes } from './parts.ts'
import { quarantineRoutes } from './quarantine-routes.ts'
import { siteRoutes } from './site-routes.ts'
import { statusRoutes } from './status-routes.ts'

/** Everything that the control socket answers. Each command asks one of these. [ADR-0049] */
const controlRoutes: readonly (readonly [prefix: string, routes: ControlRoutes])[] = [
  ['/account', accountRoutes],
  ['/status', statusRoutes],
  ['/clock', clockRoutes],
  ['/backup', backupRoutes],
  ['/quarantine', quarantineRoutes],
  ['/site', siteRoutes]
]

const MAX_BODY_BYTES = 64 * 1024
const MAX_HEADERS_BYTES = 8 * 1024
/** A client must send its request within this time. */
const REQUEST_LIMIT_MS = 5 * SECOND
/** A connection on which nothing moves is closed. */
const SILENCE_LIMIT_MS = MINUTE
const MAX_CONNECTIONS = 32

/**
 * The questions of operators. A running platform serves them on its control socket; for a stopped
 * one the command itself builds this app and asks it.
 */
export async function createControl(parts: ControlParts): Promise<App> {
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionTimeout: SILENCE_LIMIT_MS,
    keepAliveTimeout: SECOND,
    // A client that hangs must not delay the stop.
    forceCloseConnections: true,
    http: {
      maxHeaderSize: MAX_HEADERS_BYTES,
      headersTimeout: REQUEST_LIMIT_MS,
      connectionsCheckingInterval: SECOND
    }
  }) as unknown as App
  app.server.maxConnections = MAX_CONNECTIONS
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw notFound()
  })
  for (const [prefix, routes] of controlRoutes) {
    await app.register(async (scope) => routes(scope as App, parts), { prefix })
  }
  await app.ready()
  return app
}
