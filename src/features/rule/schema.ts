import { type TSchema, Type } from 'typebox'
import { checkedLater, defaults } from '../../http/described.ts'
import { Id, ignored, Maybe, Moment, UnixTime } from '../../http/schema.ts'
import {
  MAX_MESSAGE_CHARACTERS,
  MAX_META_KEYS,
  MAX_RULE_TOPICS,
  MAX_TYPE_CHARACTERS,
  MAX_WHEN_PARTS
} from '../../lib/alarm/check.ts'
import { MAX_TOPIC_BYTES } from '../../lib/topic.ts'

export const MAX_DEFINITION_BYTES = 262_144

const Meta = Type.Object(
  {
    meta: Type.String({
      ...checkedLater({ minLength: 1, maxLength: 255 }),
      description: 'A key of the metadata of the function'
    })
  },
  { title: 'RuleMeta', description: 'The number is in the metadata of the function' }
)
const Bound = Type.Union([Type.Number(), Meta])
const Duration = 'A number and a unit: s, m, h or d'

const comparisons = {
  above: Type.Optional(Bound),
  below: Type.Optional(Bound),
  outside: Type.Optional(
    Type.Array(Bound, {
      ...checkedLater({ minItems: 2, maxItems: 2 }),
      description: 'Below the first or above the second'
    })
  ),
  equals: Type.Optional(Bound),
  changed_by: Type.Optional(Bound),
  rate_per_hour: Type.Optional(Bound),
  silent_for: Type.Optional(
    Type.Union([
      Type.String({
        ...checkedLater({ maxLength: 9 }),
        description: `${Duration}, from 5s to 366d`
      }),
      Meta
    ])
  )
}
const description = `One of the keys. At most ${MAX_WHEN_PARTS} comparisons together`
const joined = <Part extends TSchema>(part: Part, level: number) => {
  const Parts = Type.Array(part, checkedLater({ minItems: 2, maxItems: MAX_WHEN_PARTS }))
  const title = `RuleWhen${level === 1 ? '' : level}`
  return Type.Object(
    { ...comparisons, all: Type.Optional(Parts), any: Type.Optional(Parts) },
    { title, description }
  )
}
/** Four levels. lib/alarm/check.ts says what is wrong below them. */
const Comparison = Type.Object(comparisons, { title: 'RuleComparison', description })
const When = joined(joined(joined(Comparison, 3), 2), 1)

const On = Type.Object(
  {
    topics: Type.Optional(
      Type.Array(
        Type.String({
          ...checkedLater({ minLength: 1, maxLength: MAX_TOPIC_BYTES }),
          description: 'A topic or an MQTT filter, with or without the client id'
        }),
        checkedLater({ minItems: 1, maxItems: MAX_RULE_TOPICS })
      )
    ),
    type: Type.Optional(
      Type.String({
        ...checkedLater({ maxLength: MAX_TYPE_CHARACTERS }),
        description: 'Of functions; empty: of all types'
      })
    ),
    meta: Type.Optional(
      Type.Record(Type.String({ pattern: '^[^]*$' }), Type.String(), {
        ...checkedLater({ maxProperties: MAX_META_KEYS }),
        description: 'What the functions have in their metadata, all of it'
      })
    )
  },
  { title: 'RuleOn', description: 'Topics; or functions by `type` and `meta`' }
)

const Hours = Type.Object(
  {
    days: Type.Array(Type.Integer(), {
      ...checkedLater({ minItems: 1, maxItems: 7 }),
      description: '0 is Sunday, 6 is Saturday'
    }),
    from: Type.String({ description: 'As 08:00' }),
    to: Type.String({ description: 'As 17:00; before `from`: on the next day' })
  },
  { title: 'RuleHours', description: 'In the time zone of the installation' }
)

const Severity = Type.Union([
  Type.Literal('info'),
  Type.Literal('warning'),
  Type.Literal('critical')
])
const For = Type.String({
  ...checkedLater({ maxLength: 9 }),
  description: `How long it must last, at most 366d. ${Duration}; empty: it is raised at once`
})
const Hysteresis = Type.Number({
  ...checkedLater({ minimum: 0 }),
  description: 'An open alarm clears when the value is inside the bound by so much'
})
const Message = Type.String({
  ...checkedLater({ maxLength: MAX_MESSAGE_CHARACTERS }),
  description: 'A template as of notifications; `.payload` is the alarm'
})
const Schedule = Type.Union([Hours, Type.Null()], { description: 'null: always' })

const fields = {
  name: Type.String(),
  active: Type.Boolean(),
  severity: Severity,
  on: On,
  when: When,
  for: For,
  hysteresis: Hysteresis,
  schedule: Schedule,
  message: Message
}
export const Rule = Type.Object(
  { id: Type.Integer(), installation_id: Type.Integer(), ...fields },
  { title: 'Rule' }
)
export const OrganizationRule = Type.Object(
  { id: Type.Integer(), organization_id: Type.Integer(), ...fields },
  { title: 'OrganizationRule' }
)

const body = {
  id: ignored.id,
  installation_id: Maybe(Type.Integer({ description: 'Ignored' })),
  organization_id: Maybe(Type.Integer({ description: 'Ignored' })),
  name: Maybe(Type.String({ maxLength: 255 })),
  active: Maybe(Type.Boolean()),
  severity: Maybe(Severity),
  on: Maybe(On),
  when: Maybe(When),
  for: Maybe(For),
  hysteresis: Maybe(Hysteresis),
  schedule: Type.Optional(Schedule),
  message: Maybe(Message)
}
export const NewRule = Type.Object(
  { ...body, on: On, when: When },
  {
    title: 'NewRule',
    description: `At most ${MAX_DEFINITION_BYTES} bytes as JSON`,
    ...defaults({
      ...{ name: '', active: true, severity: 'warning', for: '' },
      ...{ hysteresis: 0, schedule: null, message: '' }
    })
  }
)
export const RuleUpdate = Type.Object(body, { title: 'RuleUpdate' })

export const RuleParams = Type.Object({ installation_id: Id, rule_id: Id })
export const OrganizationParams = Type.Object({ organization_id: Id })
export const OrganizationRuleParams = Type.Object({ organization_id: Id, rule_id: Id })

export const RuleTry = Type.Object(
  {
    rule: NewRule,
    from: Type.Optional(Moment('Unix time, inclusive; default: 24 hours ago')),
    to: Type.Optional(Moment('Unix time, inclusive; default: now'))
  },
  { title: 'RuleTry' }
)
export const RuleTrial = Type.Object(
  {
    alarms: Type.Array(
      Type.Object({
        topic: Type.String(),
        raised_at: UnixTime,
        cleared_at: Type.Union([UnixTime, Type.Null()]),
        value: Type.Union([Type.Number(), Type.Null()])
      })
    )
  },
  { title: 'RuleTrial' }
)
