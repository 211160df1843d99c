import type { ControlRoutes } from './parts.ts'
import { Status } from './status.ts'

export const statusRoutes: ControlRoutes = (app, { status }) => {
  app.post('/', { schema: { response: { 200: Status } } }, () => status())
}
