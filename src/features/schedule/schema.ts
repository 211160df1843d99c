import { Type } from 'typebox'
import { Id, IgnoredInstallation, ignored, Maybe, UnixSeconds, Wanted } from '../../http/schema.ts'

/** [contract: Schedule] */
export const Schedule = Type.Object(
  {
    id: Type.Integer(),
    installation_id: Type.Integer(),
    active: Type.Boolean(),
    topic: Type.String(),
    value: Type.Number(),
    minute: Type.String(),
    hour: Type.String(),
    day_of_month: Type.String({ description: 'Begins with 0, so 0 is the first day' }),
    day_of_week: Type.String({ description: 'Sunday is 0 and 7' }),
    month: Type.String({ description: 'Begins with 0, so 0 is January' }),
    executor: Type.String(),
    created_at: UnixSeconds,
    updated_at: Type.String({ description: 'Unix time, as text' })
  },
  { title: 'Schedule' }
)

const Topic = Type.String({ minLength: 1, maxLength: 1000 })
const Field = Maybe(
  Type.String({ maxLength: 200, default: '*', description: 'Missing or empty: `*`' })
)
const fields = {
  id: ignored.id,
  installation_id: IgnoredInstallation,
  minute: Field,
  hour: Field,
  day_of_month: Field,
  day_of_week: Field,
  month: Field,
  executor: Maybe(
    Type.String({ maxLength: 100, default: 'gateway', description: 'Missing or empty: `gateway`' })
  ),
  created_at: Maybe(Type.Integer({ description: 'Ignored' })),
  updated_at: Maybe(Type.String({ description: 'Ignored' }))
}

export const NewSchedule = Type.Object(
  {
    active: Wanted(Type.Boolean(), 'true'),
    topic: Topic,
    value: Type.Number(),
    ...fields
  },
  { title: 'NewSchedule' }
)
export const ScheduleUpdate = Type.Object(
  {
    active: Wanted(Type.Boolean(), 'kept'),
    topic: Wanted(Topic, 'kept'),
    value: Wanted(Type.Number(), 'kept'),
    ...fields
  },
  { title: 'ScheduleUpdate' }
)

export const ScheduleParams = Type.Object({ installation_id: Id, schedule_id: Id })

export const SchedulesQuery = Type.Object({
  executor: Type.Optional(
    Type.String({ maxLength: 100, default: 'all', description: '`all`: every executor' })
  )
})

export const NextQuery = Type.Object({
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5 }))
})

export const NextRuns = Type.Object(
  {
    zone: Type.String({ description: 'The time zone of the fields' }),
    runs: Type.Array(UnixSeconds)
  },
  { title: 'NextRuns' }
)

export const Run = Type.Object(
  {
    planned: UnixSeconds,
    ran: UnixSeconds,
    outcome: Type.String({
      description: 'published, failed, skipped, or taken (still under way)'
    })
  },
  { title: 'Run' }
)
