import type { ServerResponse } from 'node:http'

/** Aborts when the caller goes away before the answer, so that nobody works for nobody. */
export function hungUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}
