import { Type } from 'typebox'
import { Id, Maybe } from '../../http/schema.ts'

/** Refuses characters with a meaning in mail headers, because anybody may send this. */
const Email = Type.String({
  pattern: '^[^\\s@,;:<>()[\\]\\\\"]+@[^\\s@,;:<>()[\\]\\\\"]+$',
  maxLength: 255,
  description: 'an e-mail address'
})
const Name = Type.String({ maxLength: 255 })
const Text = Type.String({ maxLength: 1000 })
const Address = Type.Object({ address: Text, city: Text, country: Text, zip: Text })

export const Registration = Type.Object(
  {
    first_name: Name,
    last_name: Name,
    email: Email,
    address: Maybe(Type.Partial(Address))
  },
  { title: 'Registration' }
)

export const RegistrationPolicy = Type.Object(
  {
    id: Type.Integer(),
    email_pattern: Type.String(),
    role_id: Type.Integer(),
    parent_organization: Type.Optional(
      Type.Integer({ description: 'The user gets a new organization below this one' })
    ),
    organization_id: Type.Optional(
      Type.Integer({ description: 'The user joins this organization' })
    )
  },
  { title: 'RegistrationPolicy' }
)

const Pattern = Type.String({
  pattern: '^[^\\s@]+@[^\\s@]+$',
  maxLength: 255,
  description:
    'an e-mail address, such as `*@example.com`; `*` stands for any text on its side of the @'
})
/** Clients send 0 for none. */
const IdOrNone = Maybe(Type.Union([Id, Type.Literal(0)]))
const fields = { role_id: IdOrNone, parent_organization: IdOrNone, organization_id: IdOrNone }

export const NewPolicy = Type.Object(
  { email_pattern: Pattern, ...fields },
  { title: 'NewRegistrationPolicy' }
)
export const PolicyUpdate = Type.Object(
  { email_pattern: Maybe(Pattern), ...fields },
  { title: 'RegistrationPolicyUpdate' }
)
export const PolicyParams = Type.Object({ policy_id: Id })
