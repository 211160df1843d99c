import { Type } from 'typebox'
import { hungUp } from '../../http/hung-up.ts'
import type { ControlRoutes } from './parts.ts'
import { progressLines } from './progress-lines.ts'

/** If the command hangs up, the backup stops. */
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
      let progress = 0
      const onProgress = (done: number) => {
        progress = done
      }
      const made = backup(body, { onProgress, signal: hungUp(reply.raw) })
      return reply.type('application/x-ndjson').send(progressLines(made, () => progress))
    }
  )
}
