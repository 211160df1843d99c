import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Aborts when the caller goes away before the answer, so that nobody works for nobody. */
export function hungUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

/** Aborts when the server stops: what could go on for hours does not hold it up. */
export function stopping(app: Pick<FastifyInstance, 'addHook'>): AbortSignal {
  const controller = new AbortController()
  app.addHook('preClose', async () => controller.abort())
  return controller.signal
}
