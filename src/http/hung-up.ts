import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { MINUTE } from '../lib/unix-time.ts'

/** Aborts when the caller goes away before the answer, so that nobody works for nobody. */
export function hungUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

/** The same, and after a minute: what takes longer is given up and answered with 503. */
export const hungUpOrLate = (response: ServerResponse, after = MINUTE): AbortSignal =>
  AbortSignal.any([hungUp(response), AbortSignal.timeout(after)])

/** Lets go of a caller who stops reading, and of the answer that is kept for it. */
export function dropIfStalled(response: ServerResponse, after = MINUTE): void {
  response.setTimeout(after, () => response.destroy())
}

/** Aborts when the server stops: what could go on for hours does not hold it up. */
export function stopping(app: Pick<FastifyInstance, 'addHook'>): AbortSignal {
  const controller = new AbortController()
  app.addHook('preClose', async () => controller.abort())
  return controller.signal
}
