import { type Static, Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { notFound } from '../../http/errors.ts'
import { checkMatch, tagged } from '../../http/etag.ts'
import { InstallationParams, Message, SilentQuery } from '../../http/schema.ts'
import { creates, deletes, updates } from '../../http/traced.ts'
import { toWholeSeconds, unixMs } from '../../lib/unix-time.ts'
import { tellChange } from '../../notify/change.ts'
import { onInstallation } from '../../permission/guard.ts'
import { findInstallation, type InstallationRef } from '../../registry/installations.ts'
import { nextRun, parseCron } from './cron.ts'
import { fieldsOf } from './fields.ts'
import { planOf } from './plan.ts'
import {
  changeSchedule,
  deleteSchedule,
  findSchedule,
  insertSchedule,
  listRuns,
  listSchedules,
  type ScheduleRow
} from './schedules.ts'
import {
  NewSchedule,
  NextQuery,
  NextRuns,
  Run,
  Schedule,
  ScheduleParams,
  SchedulesQuery,
  ScheduleUpdate
} from './schema.ts'

export const scheduleRoutes: Routes = (app, deps) => {
  const { registry, clock, timezone } = deps
  const tags = ['Schedule']

  app.get(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: 'listSchedules',
        summary: 'Schedules of an installation',
        params: InstallationParams,
        querystring: SchedulesQuery,
        response: { 200: Type.Array(Schedule) }
      },
      config: { access: onInstallation('schedule/list') }
    },
    async ({ installation, query }) => {
      const executor = query.executor === 'all' ? undefined : query.executor
      return (await listSchedules(registry, installation.id, executor)).map(shown)
    }
  )

  app.post(
    '/:installation_id',
    {
      schema: {
        tags,
        operationId: 'createSchedule',
        summary: 'Create a schedule',
        params: InstallationParams,
        querystring: SilentQuery,
        body: NewSchedule
      },
      // [contract: Schedule] no body
      config: {
        access: onInstallation('schedule/create_delete'),
        bodiless: [200],
        trace: creates('schedule')
      }
    },
    async ({ installation, body, query }) => {
      const fields = fieldsOf(body)
      const plan = planOf(fields, await zoneOf(installation), clock())
      const row = await insertSchedule(registry, installation.id, { ...fields, ...plan }, clock())
      await tell(installation, query.silent)
      return shown(row)
    }
  )

  app.get(
    '/:installation_id/:schedule_id',
    {
      schema: {
        tags,
        operationId: 'getSchedule',
        summary: 'One schedule',
        faults: [404],
        params: ScheduleParams,
        response: { 200: Schedule }
      },
      config: { access: onInstallation('schedule/list') }
    },
    async ({ installation, params }, reply) =>
      tagged(reply, shown(await requireSchedule(installation, params)))
  )

  app.put(
    '/:installation_id/:schedule_id',
    {
      schema: {
        tags,
        operationId: 'updateSchedule',
        faults: [404, 412],
        summary: 'Replace a schedule',
        params: ScheduleParams,
        querystring: SilentQuery,
        body: ScheduleUpdate,
        response: { 200: Schedule }
      },
      config: {
        access: onInstallation('schedule/update'),
        trace: updates('schedule', 'schedule_id')
      }
    },
    async (request, reply) => {
      const { installation, params, body, query } = request
      const zone = await zoneOf(installation)
      const ref = { installation_id: installation.id, id: params.schedule_id }
      const change = (current: ScheduleRow) => {
        checkMatch(request, shown(current))
        const fields = fieldsOf(body, current)
        return { ...fields, ...planOf(fields, zone, clock()) }
      }
      const row = await changeSchedule(registry, ref, change, clock())
      if (!row) throw notFound()
      await tell(installation, query.silent)
      return tagged(reply, shown(row))
    }
  )

  app.delete(
    '/:installation_id/:schedule_id',
    {
      schema: {
        tags,
        operationId: 'deleteSchedule',
        faults: [404],
        summary: 'Delete a schedule',
        params: ScheduleParams,
        querystring: SilentQuery,
        response: { 200: Message }
      },
      config: {
        access: onInstallation('schedule/create_delete'),
        trace: deletes('schedule', 'schedule_id')
      }
    },
    async ({ installation, params, query }) => {
      if (!(await deleteSchedule(registry, installation.id, params.schedule_id))) throw notFound()
      await tell(installation, query.silent)
      return { message: 'Deleted' }
    }
  )

  app.get(
    '/:installation_id/:schedule_id/next',
    {
      schema: {
        tags,
        operationId: 'listNextRuns',
        faults: [404],
        summary: 'The next times of a schedule, even if it is not active',
        params: ScheduleParams,
        querystring: NextQuery,
        response: { 200: NextRuns }
      },
      config: { access: onInstallation('schedule/list') }
    },
    async ({ installation, params, query }) => {
      const cron = parseCron(await requireSchedule(installation, params))
      const zone = await zoneOf(installation)
      const runs: number[] = []
      let last = clock()
      while (runs.length < (query.count ?? 5)) {
        const next = nextRun(cron, zone, last)
        if (next === undefined) break
        runs.push(toWholeSeconds(next))
        last = next
      }
      return { zone, runs }
    }
  )

  app.get(
    '/:installation_id/:schedule_id/runs',
    {
      schema: {
        tags,
        operationId: 'listRuns',
        faults: [404],
        summary: 'The last runs by the platform, newest first',
        params: ScheduleParams,
        response: { 200: Type.Array(Run) }
      },
      config: { access: onInstallation('schedule/list') }
    },
    async ({ installation, params }) => {
      const { id } = await requireSchedule(installation, params)
      return (await listRuns(registry, id)).map(({ planned, ran, outcome }) => ({
        planned: toWholeSeconds(planned),
        ran: toWholeSeconds(ran),
        outcome
      }))
    }
  )

  const tell = ({ client_id }: InstallationRef, silent?: boolean) =>
    tellChange(deps, { kind: 'schedule', client_id }, silent)

  async function zoneOf({ id }: InstallationRef): Promise<string> {
    const installation = await findInstallation(registry, id)
    return installation?.timezone || timezone
  }

  async function requireSchedule(
    { id }: InstallationRef,
    { schedule_id }: Static<typeof ScheduleParams>
  ): Promise<ScheduleRow> {
    const row = await findSchedule(registry, id, schedule_id)
    if (!row) throw notFound()
    return row
  }
}

const shown = ({
  created,
  updated,
  active,
  next_run: _,
  zone: __,
  runs: ___,
  ...row
}: ScheduleRow): Static<typeof Schedule> => ({
  ...row,
  active: active === 1,
  created_at: toWholeSeconds(unixMs(created)),
  updated_at: String(toWholeSeconds(unixMs(updated)))
})
