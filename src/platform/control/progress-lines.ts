import { Readable } from 'node:stream'
import { SECOND } from '../../lib/unix-time.ts'

/** Often enough for a bar, and so that the socket is never silent. */
const LINE_EVERY_MS = SECOND

/** Lines of JSON while something is done: `{progress}` many times, then `{result}` or `{error}`. */
export const progressLines = (ran: Promise<object>, progress: () => number): Readable =>
  Readable.from(linesOf(ran, progress))

async function* linesOf(ran: Promise<object>, progress: () => number): AsyncGenerator<string> {
  const ended = ran.then(
    (result) => ({ result }),
    (error: Error) => ({ error: error.message })
  )
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(resolve, LINE_EVERY_MS, undefined)
    const last = await Promise.race([ended, promise])
    clearTimeout(timer)
    yield `${JSON.stringify(last ?? { progress: progress() })}\n`
    if (last) return
  }
}
