import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { Id, ignored, Maybe, UnixSeconds, Wanted } from '../../http/schema.ts'

/** [contract: EdgeApp] */
export const EdgeApp = Type.Object(
  {
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
  },
  { title: 'EdgeApp' }
)

const Text = (maxLength: number) => Type.String({ maxLength })
const Name = Type.String({ minLength: 1, maxLength: 255 })
/** A field that is missing gets its default in a new app and keeps its value in an update. */
const fields = (isNew: boolean) => ({
  ...ignored,
  category: Wanted(Text(255), isNew ? 'empty' : 'kept'),
  tags: Wanted(Type.Array(Text(100), { maxItems: 100 }), isNew ? 'none' : 'kept'),
  short_description: Wanted(Text(1000), isNew ? 'empty' : 'kept'),
  description: Wanted(Text(65_536), isNew ? 'empty' : 'kept'),
  public: Wanted(Type.Boolean(), isNew ? 'false' : 'kept'),
  official: Maybe(Type.Boolean()),
  source_url: Maybe(Text(2000))
})
const publisherName = Maybe(Type.String({ description: 'Ignored' }))

export const NewEdgeApp = Type.Object(
  {
    name: Name,
    publisher: Type.Object({ id: Id, name: publisherName }),
    ...fields(true)
  },
  { title: 'NewEdgeApp', ...defaults({ official: false, source_url: '' }) }
)
export const EdgeAppUpdate = Type.Object(
  {
    name: Wanted(Name, 'kept'),
    publisher: Wanted(
      Type.Object(
        { id: Wanted(Type.Integer(), 'kept'), name: publisherName },
        { description: 'Ignored: the publisher cannot be changed' }
      ),
      'kept'
    ),
    ...fields(false)
  },
  { title: 'EdgeAppUpdate' }
)
export const EdgeAppUpdateById = Type.Object(
  { ...EdgeAppUpdate.properties, id: Id },
  { title: 'EdgeAppUpdateWithId' }
)

export const AppParams = Type.Object({ app_id: Id })
export const VersionQuery = Type.Object({
  version: Type.String({ minLength: 1, maxLength: 255, description: 'Name or hash' })
})

/** [contract: EdgeAppVersion] A version that is not published has an empty name. */
export const EdgeAppVersion = Type.Object(
  {
    name: Type.String(),
    hash: Type.String(),
    timestamp: UnixSeconds
  },
  { title: 'EdgeAppVersion' }
)
export const NamedVersion = Type.Object(
  {
    name: Type.String({
      pattern: '^(?![0-9a-fA-F]{64}$)[^]{1,100}$',
      description: 'text of 1 to 100 characters that does not look like a hash'
    }),
    hash: Type.String({ minLength: 1, maxLength: 100 })
  },
  { title: 'NamedEdgeAppVersion' }
)

export const EdgeAppInstance = Type.Object(
  {
    id: Type.Integer(),
    app_id: Type.Integer(),
    installation_id: Type.Integer(),
    version: Type.String(),
    config: Type.Object({}, { additionalProperties: true }),
    name: Type.String(),
    created: UnixSeconds,
    updated: UnixSeconds
  },
  { title: 'EdgeAppInstance' }
)
export const EdgeAppInstanceBody = Type.Object(
  {
    app_id: Id,
    version: Type.String({ minLength: 1, maxLength: 255 }),
    name: Type.String({ maxLength: 255 }),
    config: Maybe(Type.Object({}, { additionalProperties: true }))
  },
  { title: 'EdgeAppInstanceUpdate', ...defaults({ config: {} }) }
)
export const InstanceParams = Type.Object({ installation_id: Id, instance_id: Id })
