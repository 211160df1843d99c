import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { Address, AddressParts, Id, ignored, Maybe, Meta } from '../../http/schema.ts'

export const OrganizationParams = Type.Object({ organization_id: Id })

export const Organization = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    address: Address,
    email: Type.String(),
    phone: Type.String(),
    force_sms_login: Type.Boolean(),
    parent: Type.Integer({ description: '0 = the topmost organization that the caller can see' }),
    children: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
    notes: Type.String(),
    meta: Meta,
    protected_meta: Type.Optional(Meta)
  },
  { title: 'Organization' }
)

export const OrganizationSimple = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    parent: Type.Integer()
  },
  { title: 'OrganizationSimple' }
)

const Text = Type.String({ maxLength: 65_536 })
const Name = Type.String({ minLength: 1, maxLength: 255 })
const fields = {
  id: ignored.id,
  // [contract: Organization] One body shape has a single object instead of a list.
  children: Maybe(
    Type.Union([Type.Array(Type.Object({})), Type.Object({})], { description: 'Ignored' })
  ),
  parent: Maybe(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  email: Maybe(Text),
  phone: Maybe(Text),
  notes: Maybe(Text),
  force_sms_login: Maybe(Type.Boolean()),
  meta: Maybe(Meta),
  protected_meta: Maybe(Meta)
}

export const NewOrganization = Type.Object(
  {
    name: Name,
    address: Maybe(AddressParts('empty')),
    ...fields
  },
  {
    title: 'NewOrganization',
    ...defaults({
      email: '',
      phone: '',
      notes: '',
      force_sms_login: false,
      meta: {},
      protected_meta: {}
    })
  }
)
export const OrganizationUpdate = Type.Object(
  {
    name: Maybe(Name),
    address: Maybe(AddressParts('kept')),
    ...fields
  },
  { title: 'OrganizationUpdate' }
)
