import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { Id, Maybe, Moment, UnixTime } from '../../http/schema.ts'

/** [contract: Limits] As in the log. */
export const DEFAULT_LIMIT = 10_000
const MAX_LIMIT = 100_000
const MAX_NOTE_CHARACTERS = 4096

const State = (about: Record<string, unknown> = {}) =>
  Type.Union([Type.Literal('raised'), Type.Literal('acknowledged'), Type.Literal('cleared')], about)
const Severity = Type.Union([
  Type.Literal('info'),
  Type.Literal('warning'),
  Type.Literal('critical')
])

export const AlarmQuery = Type.Object({
  state: Type.Optional(State()),
  severity: Type.Optional(Severity),
  from: Type.Optional(Moment('Of `raised_at`: Unix time, inclusive; default: 24 hours ago')),
  to: Type.Optional(Moment('Of `raised_at`: Unix time, inclusive; default: now')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: '0 = the default, 10 000'
    })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }))
})

export const Alarm = Type.Object(
  {
    id: Type.Integer(),
    rule_id: Type.Union([Type.Integer(), Type.Null()], {
      description: 'null: the gateway of the installation is gone. The rule may be deleted'
    }),
    installation_id: Type.Integer(),
    topic: Type.String(),
    severity: Severity,
    state: State({
      description: 'A cleared alarm keeps its acknowledgement',
      examples: ['cleared']
    }),
    raised_at: UnixTime,
    acknowledged_at: Type.Union([UnixTime, Type.Null()]),
    acknowledged_by: Type.Union([Type.Integer(), Type.Null()], { description: 'A user' }),
    note: Type.String(),
    cleared_at: Type.Union([UnixTime, Type.Null()]),
    value: Type.Union([Type.Number(), Type.Null()], {
      description: 'That raised it; null: there was none'
    }),
    message: Type.String()
  },
  { title: 'Alarm' }
)

export const AlarmParams = Type.Object({ installation_id: Id, alarm_id: Id })

export const Acknowledgement = Type.Object(
  { note: Maybe(Type.String({ maxLength: MAX_NOTE_CHARACTERS })) },
  { title: 'Acknowledgement', ...defaults({ note: '' }) }
)
