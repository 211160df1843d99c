import { PassThrough } from 'node:stream'
import { Type } from 'typebox'
import { hungUp } from '../../http/hung-up.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type { ControlRoutes } from './parts.ts'

/** The socket closes when nothing moves on it. */
const SAY_SOMETHING_MS = 5 * SECOND

/**
 * Lines of JSON while the backup is made: `{progress}` many times, then `{result}` or `{error}`.
 * Nobody waits any more: the backup is stopped.
 */
export const backupRoutes: ControlRoutes = (app, { backup }) => {
  app.post(
    '/',
    {
      schema: {
        body: Type.Object({
          directory: Type.String({ pattern: '^/', maxLength: 4096, description: 'a whole path' }),
          keep: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 }))
        })
      }
    },
    ({ body }, reply) => {
      const lines = new PassThrough()
      const say = (line: object) => void lines.write(`${JSON.stringify(line)}\n`)
      let progress = 0
      const timer = setInterval(() => say({ progress }), SAY_SOMETHING_MS)
      const onProgress = (done: number) => {
        if (Math.floor(done * 100) > Math.floor(progress * 100)) say({ progress: done })
        progress = done
      }
      backup(body, { onProgress, signal: hungUp(reply.raw) })
        .then(
          (result) => say({ result }),
          (error) => say({ error: (error as Error).message })
        )
        .finally(() => {
          clearInterval(timer)
          lines.end()
        })
      return reply.type('application/x-ndjson').send(lines)
    }
  )
}
