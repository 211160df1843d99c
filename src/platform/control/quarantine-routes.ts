import { badRequest } from '../../http/errors.ts'
import type { ControlRoutes } from './parts.ts'
import { progressLines } from './progress-lines.ts'
import { Wanted } from './quarantine.ts'

/** If the command hangs up, the work goes on to its end. */
export const quarantineRoutes: ControlRoutes = (app, { quarantine: work }) => {
  app.post('/', { schema: { body: Wanted } }, ({ body }, reply) => {
    if (!work) {
      throw badRequest('history is on a ClickHouse server, which looks after its files itself')
    }
    if (work.report.done < 1) throw badRequest('another quarantine command is at work')
    const ran = work.run(body).then(() => work.report)
    const lines = progressLines(ran, () => work.report.done)
    return reply.type('application/x-ndjson').send(lines)
  })
}
