import type { IncomingMessage } from 'node:http'
import { SECOND } from '../lib/unix-time.ts'
import { stalled } from './errors.ts'

/** A body must arrive at least this fast. */
const MIN_BYTES_PER_SECOND = 1024

/**
 * Ends a request with 408 when its body arrives too slowly, so that nobody blocks a slot by
 * waiting.
 */
export function watchBody(raw: IncomingMessage, limitMs: number): void {
  if (hasBody(raw)) watch(raw, limitMs)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0

function watch(raw: IncomingMessage, limitMs: number): void {
  const { socket } = raw
  const enough = (MIN_BYTES_PER_SECOND * limitMs) / SECOND
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const { bytesRead } = socket
    // Data that has arrived but is not read yet waits for us, not for the sender.
    const isOurs = raw.isPaused() || raw.readableLength > 0
    if (raw.complete) clearInterval(timer)
    else if (isOurs || bytesRead - before >= enough) before = bytesRead
    else {
      clearInterval(timer)
      // The reader of the body answers. Without a reader, the request was answered before.
      if (raw.listenerCount('error') > 0) raw.emit('error', stalled())
      else raw.destroy()
    }
  }, limitMs)
  timer.unref()
  raw.once('close', () => clearInterval(timer))
}
