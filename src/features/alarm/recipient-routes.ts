import type { Routes } from '../../deps.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { onInstallation } from '../../permission/guard.ts'
import { countReached } from './tell/reachable.ts'
import { Recipients } from './tell/recipients.ts'
import { AlarmRecipients } from './tell/schema.ts'

/** Whom an alarm would reach. [ADR-0065] */
export const alarmRecipientRoutes: Routes = (app, { registry, identity, directory, shares }) => {
  app.get(
    '/:installation_id/recipient',
    {
      schema: {
        tags: ['Alarm'],
        operationId: 'countAlarmRecipients',
        summary: 'How many users would be told of an alarm, by its severity',
        description: 'Who writes a rule sees by this whether anybody would learn of its alarms',
        params: InstallationParams,
        response: { 200: AlarmRecipients }
      },
      config: { access: onInstallation('rule/list') }
    },
    async (request, reply) => {
      await shares.take('long lists', request, reply)
      dropIfStalled(reply.raw)
      const recipients = new Recipients({ registry, identity, directory })
      return countReached({ registry, identity, recipients }, request.installation)
    }
  )
}
