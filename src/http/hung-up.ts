import type { IncomingMessage } from 'node:http'

/** Aborts when the caller goes away before the answer, so that nobody works for nobody. */
export function hungUp(request: IncomingMessage): AbortSignal {
  const controller = new AbortController()
  request.socket.once('close', () => controller.abort())
  return controller.signal
}
