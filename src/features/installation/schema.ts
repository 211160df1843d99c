import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { Id, ignored, Maybe, Meta, UnixSeconds } from '../../http/schema.ts'

export const Installation = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    client_id: Type.Integer({ description: 'Identifier on MQTT' }),
    organization_id: Type.Integer(),
    notes: Type.String(),
    timezone: Type.String({ description: 'IANA name; empty = the time zone of the platform' }),
    users: Type.Array(Type.Integer(), {
      description: 'Users that the installation is assigned to'
    }),
    meta: Meta,
    protected_meta: Type.Optional(Meta),
    created: UnixSeconds
  },
  { title: 'Installation' }
)

const fields = {
  id: ignored.id,
  client_id: Maybe(Type.Integer({ description: 'Ignored' })),
  created: ignored.created,
  organization_id: Maybe(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: '0 = not given' })
  ),
  notes: Maybe(Type.String({ maxLength: 65_536 })),
  timezone: Maybe(Type.String({ maxLength: 100 })),
  users: Maybe(Type.Array(Id, { maxItems: 10_000 })),
  meta: Maybe(Meta),
  protected_meta: Maybe(Meta)
}
const Name = Type.String({ minLength: 1, maxLength: 255 })

export const NewInstallation = Type.Object(
  { name: Name, ...fields },
  {
    title: 'NewInstallation',
    ...defaults({ notes: '', timezone: '', users: [], meta: {}, protected_meta: {} })
  }
)
export const InstallationUpdate = Type.Object(
  { name: Maybe(Name), ...fields },
  { title: 'InstallationUpdate' }
)

export const InstallationInfo = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    client_id: Type.Integer(),
    organization_id: Type.Integer(),
    capabilities: Type.Array(Type.String()),
    assigned: Type.Boolean()
  },
  { title: 'InstallationInfo' }
)

export const AssignedQuery = Type.Object({
  assigned: Type.Optional(
    Type.Boolean({
      description:
        'true: only those assigned to the caller; false: all that the caller can see. ' +
        'Default in a list: true, or false for callers who may list all installations'
    })
  ),
  assigned_only: Type.Optional(Type.Boolean({ description: 'Another spelling of assigned' }))
})

export const InstallationInfoQuery = Type.Object({
  organization_id: Type.Optional(Type.Array(Id, { maxItems: 10_000 })),
  ...AssignedQuery.properties
})
