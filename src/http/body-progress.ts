import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { SECOND } from '../lib/unix-time.ts'
import { stalled } from './errors.ts'

/** However steadily a body trickles. */
const MIN_BYTES_PER_SECOND = 1024

/** Ends every request whose body does not come on, with 408: nobody keeps a place by waiting. */
export function watchBodies(app: Pick<FastifyInstance, 'addHook'>, limitMs: number): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (hasBody(raw)) watch(raw, limitMs)
  })
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0

function watch(raw: IncomingMessage, limitMs: number): void {
  const { socket } = raw
  const enough = (MIN_BYTES_PER_SECOND * limitMs) / SECOND
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const { bytesRead } = socket
    // What has come and is not taken yet waits for us, not for the sender.
    const isOurs = raw.isPaused() || raw.readableLength > 0
    if (raw.complete) clearInterval(timer)
    else if (isOurs || bytesRead - before >= enough) before = bytesRead
    else {
      clearInterval(timer)
      // Whoever reads the body answers; when nobody does, it was answered long ago.
      if (raw.listenerCount('error') > 0) raw.emit('error', stalled())
      else raw.destroy()
    }
  }, limitMs)
  timer.unref()
  raw.once('close', () => clearInterval(timer))
}
