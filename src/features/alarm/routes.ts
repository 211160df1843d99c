import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, notFound } from '../../http/errors.ts'
import { dropIfStalled } from '../../http/hung-up.ts'
import { each, sendList } from '../../http/json-text.ts'
import { InstallationParams } from '../../http/schema.ts'
import { updates } from '../../http/traced.ts'
import { DAY, momentOr, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { onInstallation, signedIn } from '../../permission/guard.ts'
import type { AlarmDeps } from './deps.ts'
import { type AlarmReach, acknowledgeAlarm, listAlarms } from './list.ts'
import { alarmReach } from './reach.ts'
import { Acknowledgement, Alarm, AlarmParams, AlarmQuery, DEFAULT_LIMIT } from './schema.ts'
import { shownAlarm } from './shown.ts'

const tags = ['Alarm']

export const alarmRoutes: Routes<AlarmDeps> = (app, deps) => {
  const { registry, directory, shares, alarmEvents, clock } = deps

  app.get(
    '/',
    {
      schema: {
        tags,
        operationId: 'listAllAlarms',
        summary: 'Alarms of all installations whose alarms the caller may list, newest first',
        querystring: AlarmQuery,
        response: { 200: Type.Array(Alarm) }
      },
      config: { access: signedIn }
    },
    (request, reply) =>
      send(request, reply, request.query, alarmReach(request.principal, directory))
  )

  app.get(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: 'listAlarms',
        summary: 'Alarms of an installation, newest first',
        params: InstallationParams,
        querystring: AlarmQuery,
        response: { 200: Type.Array(Alarm) }
      },
      config: { access: onInstallation('alarm/list') }
    },
    (request, reply) => send(request, reply, request.query, { few: [request.installation.id] })
  )

  app.put(
    '/:installation_id/:alarm_id/acknowledge',
    {
      schema: {
        tags,
        operationId: 'acknowledgeAlarm',
        summary: 'Acknowledge an alarm; a later acknowledgement replaces an earlier one',
        faults: [404],
        params: AlarmParams,
        body: Acknowledgement,
        response: { 200: Alarm }
      },
      config: {
        access: onInstallation('alarm/acknowledge'),
        trace: updates('alarm', 'alarm_id', 'acknowledged')
      }
    },
    async ({ principal, installation, params, body }) => {
      const row = await acknowledgeAlarm(
        registry,
        { installation_id: installation.id, id: params.alarm_id },
        { by: principal.userId, note: body.note ?? '', now: clock() }
      )
      if (!row) throw notFound()
      alarmEvents.tell(installation.client_id)
      return shownAlarm(row)
    }
  )

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    query: Static<typeof AlarmQuery>,
    reach: AlarmReach
  ) {
    const { state, severity, limit, offset = 0 } = query
    const filter = { ...windowOf(query, clock()), state, severity }
    const page = { limit: limit || DEFAULT_LIMIT, offset }
    await shares.take('long lists', request, reply)
    dropIfStalled(reply.raw)
    return sendList(reply, each(listAlarms(registry, reach, filter, page), shownAlarm))
  }
}

/** As in the log: the last 24 hours. */
function windowOf(query: { from?: number; to?: number }, now: UnixMs) {
  const from = momentOr(unixMs(now - DAY), query.from)
  const to = momentOr(now, query.to)
  if (from > to) throw badRequest('from must not be later than to')
  return { from, to }
}
