import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import type { App } from '../../src/deps.ts'
import { validatorCompiler } from '../../src/http/validation.ts'
import { type RoomDeps, routeMap } from '../../src/routes.ts'
import { openapi } from './openapi.ts'

/** The OpenAPI description of all routes, without starting an engine. */
export async function apiDocument(): Promise<string> {
  const app = Fastify({ exposeHeadRoutes: false, routerOptions: { ignoreTrailingSlash: true } })
  app.setValidatorCompiler(validatorCompiler)
  await app.register(swagger, openapi())
  for (const [prefix, routes] of routeMap) {
    // Registering routes needs no engine, because only handlers use deps.
    const noDeps = {} as RoomDeps
    await app.register(async (scope) => routes(scope as unknown as App, noDeps), { prefix })
  }
  await app.ready()
  return `${JSON.stringify(app.swagger(), null, 1)}\n`
}
