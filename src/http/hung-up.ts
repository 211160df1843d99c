import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { MINUTE } from '../lib/unix-time.ts'

/** Aborts when the caller hangs up before the answer, so that a query for nobody stops. */
export const hungUp = (response: ServerResponse): AbortSignal => endedBy(response).signal

/** The same, and also after a minute: the request is then answered with 503. */
export function hungUpOrLate(response: ServerResponse, after = MINUTE): AbortSignal {
  const controller = endedBy(response)
  // `AbortSignal.any` and `timeout` cost several times as much, and their timer would stay.
  const late = setTimeout(() => controller.abort(new DOMException('late', 'TimeoutError')), after)
  late.unref()
  response.once('close', () => clearTimeout(late))
  return controller.signal
}

function endedBy(response: ServerResponse): AbortController {
  const controller = new AbortController()
  response.once('close', () => {
    // Making the error of an abort costs more than all else here, and few callers hang up.
    if (!response.writableFinished) controller.abort()
  })
  return controller
}

/** Closes the connection when the caller stops reading the answer. */
export function dropIfStalled(response: ServerResponse, after = MINUTE): void {
  response.setTimeout(after, () => response.destroy())
}

/** Aborts when the server stops, so that work of hours does not delay the stop. */
export function stopping(app: Pick<FastifyInstance, 'addHook'>): AbortSignal {
  const controller = new AbortController()
  app.addHook('preClose', async () => controller.abort())
  return controller.signal
}
