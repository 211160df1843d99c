import { Type } from 'typebox'
import { readTimes } from '../../features/trace/times.ts'
import type { ControlRoutes } from './parts.ts'

/** For `check`: the clock of the registry, and the newest time in it, in Unix milliseconds. */
export const clockRoutes: ControlRoutes = (app, { registry }) => {
  app.post(
    '/',
    {
      schema: {
        response: { 200: Type.Object({ registry: Type.Integer(), newest: Type.Integer() }) }
      }
    },
    () => readTimes(registry)
  )
}
