import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { notFound } from '../../http/errors.ts'
import { toSeconds, unixMs } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import { usersVisibleTo } from '../../permission/visibility.ts'
import { visibleUsers } from '../../registry/users.ts'
import { AlarmParams } from './schema.ts'
import { listDeliveries } from './tell/deliveries.ts'
import { AlarmDelivery } from './tell/schema.ts'

/** Who was told of an alarm. [ADR-0065] */
export const alarmDeliveryRoutes: Routes = (app, { registry }) => {
  app.get(
    '/:installation_id/:alarm_id/delivery',
    {
      schema: {
        tags: ['Alarm'],
        operationId: 'listAlarmDeliveries',
        faults: [404],
        summary: 'The messages about an alarm, newest first; at most 1000',
        params: AlarmParams,
        response: { 200: Type.Array(AlarmDelivery) }
      },
      config: { access: onInstallation('alarm/list') }
    },
    async ({ principal, installation, params }) => {
      const deliveries = await listDeliveries(registry, installation.id, params.alarm_id)
      if (!deliveries) throw notFound()
      const ids = [...new Set(deliveries.map(({ user_id }) => user_id))]
      const visible = await visibleUsers(registry, ids, usersVisibleTo(principal))
      return deliveries.map(({ at, channel, address, result, user_id }) => ({
        at: toSeconds(unixMs(at)),
        channel,
        to: visible.has(user_id) ? address : '',
        result
      }))
    }
  )
}
