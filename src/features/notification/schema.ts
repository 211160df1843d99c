import { Type } from 'typebox'
import { AnyKey, Id, Maybe, UnixSeconds } from '../../http/schema.ts'

/** Clients send a map of texts, and null or nothing where they mean an empty one. */
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

export const NotificationMessage = Type.Object({
  id: Type.Integer(),
  installation_id: Type.Integer(),
  name: Type.String(),
  text: Type.String()
})
export const NewMessage = Type.Object({ name: Name, text: Text })
export const MessageUpdate = Type.Object({ name: Maybe(Name), text: Maybe(Text) })
export const MessageParams = Type.Object({ installation_id: Id, message_id: Id })

export const NotificationOutput = Type.Object({
  id: Type.Integer(),
  installation_id: Type.Integer(),
  name: Type.String(),
  notification_message_id: Type.Integer(),
  notification_output_executor_id: Type.Integer(),
  config: Type.Record(AnyKey, Type.String(), {
    description: 'Every value is a template, too'
  })
})
const output = {
  // One client has no such field.
  name: Maybe(Type.String({ maxLength: 255 })),
  config: Maybe(Config)
}
export const NewOutput = Type.Object({
  notification_message_id: Id,
  notification_output_executor_id: Id,
  ...output
})
export const OutputUpdate = Type.Object({
  notification_message_id: Maybe(Id),
  notification_output_executor_id: Maybe(Id),
  ...output
})
export const OutputParams = Type.Object({ installation_id: Id, output_id: Id })

export const Send = Type.Object({
  sent: UnixSeconds,
  outcome: Type.String({ description: '`sent`, or what the executor did instead' })
})

export const NotificationExecutor = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  name: Type.String(),
  organization_id: Type.Integer(),
  config: Type.Record(AnyKey, Type.String()),
  secret: Type.Optional(
    Type.String({ description: 'Its X-API-Key; only for those who manage executors' })
  )
})
const executor = {
  type: Maybe(
    Type.String({ maxLength: 100, description: 'What it does, for clients; default `http`' })
  ),
  organization_id: Maybe(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "0: the caller's first"
    })
  ),
  // Headers carry nothing else.
  secret: Maybe(
    Type.String({
      maxLength: 1000,
      pattern: '^([!-~]([ -~]*[!-~])?)?$',
      description: 'printable ASCII characters without spaces around them'
    })
  )
}
export const NewExecutor = Type.Object({ name: Name, config: Config, ...executor })
export const ExecutorUpdate = Type.Object({
  name: Maybe(Name),
  config: Maybe(Config),
  ...executor
})
export const ExecutorParams = Type.Object({ executor_id: Id })
export const InstallationExecutorParams = Type.Object({ installation_id: Id, executor_id: Id })
