import { badRequest } from '../../http/errors.ts'
import type { ControlRoutes } from './parts.ts'
import { Report, Wanted } from './quarantine.ts'

/**
 * Reading everything may take longer than a request: the work goes on by itself, and the command
 * asks how far it is.
 */
export const quarantineRoutes: ControlRoutes = (app, { quarantine }) => {
  const work = () => {
    if (quarantine) return quarantine
    throw badRequest('history is on a ClickHouse server, which looks after its files itself')
  }

  app.post('/start', { schema: { body: Wanted, response: { 200: Report } } }, ({ body }) => {
    const { report } = work()
    if (report.done < 1) throw badRequest('another quarantine command is at work')
    void work().run(body)
    return work().report
  })

  app.post('/progress', { schema: { response: { 200: Report } } }, () => work().report)
}
