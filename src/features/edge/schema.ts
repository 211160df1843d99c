import { Type } from 'typebox'
import { Id, Maybe, UnixSeconds } from '../../http/schema.ts'

/** [contract: EdgeApp] */
export const EdgeApp = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  category: Type.String(),
  tags: Type.Array(Type.String()),
  short_description: Type.String(),
  description: Type.String({ description: 'Markdown' }),
  publisher: Type.Object({ id: Type.Integer(), name: Type.String() }),
  official: Type.Boolean(),
  public: Type.Boolean(),
  source_url: Type.String(),
  created: UnixSeconds,
  updated: UnixSeconds
})

const Text = (maxLength: number) => Type.String({ maxLength })
const Name = Type.String({ minLength: 1, maxLength: 255 })
/** One client sends `{}` where it means an empty list. */
const Tags = Type.Union([
  Type.Array(Text(100), { maxItems: 100 }),
  Type.Object({}, { additionalProperties: false })
])

const fields = {
  category: Maybe(Text(255)),
  tags: Maybe(Tags),
  short_description: Maybe(Text(1000)),
  description: Maybe(Text(65_536)),
  official: Maybe(Type.Boolean()),
  public: Maybe(Type.Boolean()),
  source_url: Maybe(Text(2000))
}

export const NewEdgeApp = Type.Object({
  name: Name,
  publisher: Type.Object({ id: Id }),
  ...fields
})
/** `publisher` stays as created, whatever a body says. */
export const EdgeAppUpdate = Type.Object({ name: Maybe(Name), ...fields })
export const EdgeAppUpdateById = Type.Object({ id: Id, ...EdgeAppUpdate.properties })

export const AppParams = Type.Object({ app_id: Id })
export const VersionQuery = Type.Object({
  version: Type.String({ minLength: 1, maxLength: 255, description: 'Name or hash' })
})

/** [contract: EdgeAppVersion] The name of one that is not published is empty. */
export const EdgeAppVersion = Type.Object({
  name: Type.String(),
  hash: Type.String(),
  timestamp: UnixSeconds
})
export const NamedVersion = Type.Object({
  name: Type.String({
    pattern: '^(?![0-9a-fA-F]{64}$)[^]{1,100}$',
    description: 'Anything but the form of a hash'
  }),
  hash: Type.String({ minLength: 1, maxLength: 100 })
})

export const EdgeAppInstance = Type.Object({
  id: Type.Integer(),
  app_id: Type.Integer(),
  installation_id: Type.Integer(),
  version: Type.String(),
  config: Type.Object({}, { additionalProperties: true }),
  name: Type.String(),
  created: UnixSeconds,
  updated: UnixSeconds
})
export const EdgeAppInstanceBody = Type.Object({
  app_id: Id,
  version: Type.String({ minLength: 1, maxLength: 255 }),
  name: Type.String({ maxLength: 255 }),
  config: Maybe(Type.Object({}, { additionalProperties: true }))
})
export const InstanceParams = Type.Object({ installation_id: Id, instance_id: Id })
