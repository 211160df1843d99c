import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { AnyKey, Id, Maybe, UnixSeconds } from '../../http/schema.ts'

/** A map of texts. Clients send null or nothing for an empty one. */
const Config = Type.Record(
  Type.String({ pattern: '^[^]{1,255}$' }),
  Type.String({ maxLength: 16_384 }),
  {
    additionalProperties: false,
    maxProperties: 50,
    description: 'texts by key, with keys of 1 to 255 characters'
  }
)
const Name = Type.String({ minLength: 1, maxLength: 255 })
const Text = Type.String({ maxLength: 32_768, description: "A template of Go's text/template" })

export const NotificationMessage = Type.Object(
  {
    id: Type.Integer(),
    installation_id: Type.Integer(),
    name: Type.String(),
    text: Type.String()
  },
  { title: 'Message' }
)
export const NewMessage = Type.Object({ name: Name, text: Text }, { title: 'NewMessage' })
export const MessageUpdate = Type.Object(
  { name: Maybe(Name), text: Maybe(Text) },
  { title: 'MessageUpdate' }
)
export const MessageTry = Type.Object(
  {
    text: Text,
    payload: Maybe(
      Type.Record(AnyKey, Type.Unknown(), { description: '`.payload` of the template' })
    )
  },
  { title: 'MessageTry', ...defaults({ payload: {} }) }
)
export const RenderedMessage = Type.Object({ text: Type.String() }, { title: 'RenderedMessage' })
export const MessageParams = Type.Object({ installation_id: Id, message_id: Id })

export const NotificationOutput = Type.Object(
  {
    id: Type.Integer(),
    installation_id: Type.Integer(),
    name: Type.String(),
    notification_message_id: Type.Integer(),
    notification_output_executor_id: Type.Integer(),
    config: Type.Record(AnyKey, Type.String(), {
      description: 'Every value is a template too'
    })
  },
  { title: 'Output' }
)
const output = {
  // One client does not send a name.
  name: Maybe(Type.String({ maxLength: 255 })),
  config: Maybe(Config)
}
export const NewOutput = Type.Object(
  {
    notification_message_id: Id,
    notification_output_executor_id: Id,
    ...output
  },
  { title: 'NewOutput', ...defaults({ name: '', config: {} }) }
)
export const OutputUpdate = Type.Object(
  {
    notification_message_id: Maybe(Id),
    notification_output_executor_id: Maybe(Id),
    ...output
  },
  { title: 'OutputUpdate' }
)
export const OutputParams = Type.Object({ installation_id: Id, output_id: Id })

export const Send = Type.Object(
  {
    sent: UnixSeconds,
    outcome: Type.String({ description: '`sent`, or what went wrong' })
  },
  { title: 'Send' }
)

export const NotificationExecutor = Type.Object(
  {
    id: Type.Integer(),
    type: Type.String(),
    name: Type.String(),
    organization_id: Type.Integer(),
    config: Type.Record(AnyKey, Type.String()),
    secret: Type.Optional(
      Type.String({ description: 'Sent as X-API-Key; only shown to callers who manage executors' })
    )
  },
  { title: 'Executor' }
)
const executor = {
  type: Maybe(Type.String({ maxLength: 100, description: 'A label for clients' })),
  organization_id: Maybe(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "0 = the caller's first organization"
    })
  ),
  // A header can have only these characters.
  secret: Maybe(
    Type.String({
      maxLength: 1000,
      pattern: '^([!-~]([ -~]*[!-~])?)?$',
      description: 'printable ASCII characters without spaces around them'
    })
  )
}
export const NewExecutor = Type.Object(
  { name: Name, config: Config, ...executor },
  { title: 'NewExecutor', ...defaults({ type: 'http', secret: '' }) }
)
export const ExecutorUpdate = Type.Object(
  {
    name: Maybe(Name),
    config: Maybe(Config),
    ...executor
  },
  { title: 'ExecutorUpdate' }
)
export const ExecutorParams = Type.Object({ executor_id: Id })
export const InstallationExecutorParams = Type.Object({ installation_id: Id, executor_id: Id })
