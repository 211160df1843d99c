import { Type } from 'typebox'
import { Id, Maybe } from '../../http/schema.ts'

/** Without what has a meaning in the header of a mail: anybody may send this. */
const Email = Type.String({
  pattern: '^[^\\s@,;:<>()[\\]\\\\"]+@[^\\s@,;:<>()[\\]\\\\"]+$',
  maxLength: 255,
  description: 'an e-mail address'
})
const Name = Type.String({ maxLength: 255 })
const Text = Type.String({ maxLength: 1000 })
const Address = Type.Object({ address: Text, city: Text, country: Text, zip: Text })

export const Registration = Type.Object({
  first_name: Name,
  last_name: Name,
  email: Email,
  address: Maybe(Type.Partial(Address))
})

export const RegistrationPolicy = Type.Object({
  id: Type.Integer(),
  email_pattern: Type.String(),
  role_id: Type.Integer(),
  parent_organization: Type.Optional(
    Type.Integer({ description: 'A new organization of the user is made below it' })
  ),
  organization_id: Type.Optional(Type.Integer({ description: 'Where the user is placed' }))
})

const Pattern = Type.String({
  pattern: '^[^\\s@]+@[^\\s@]+$',
  maxLength: 255,
  description:
    'an e-mail address, such as `*@example.com`; `*` stands for any text on its side of the @'
})
/** Clients send 0 where they mean none. */
const IdOrNone = Maybe(Type.Union([Id, Type.Literal(0)]))
const fields = { role_id: IdOrNone, parent_organization: IdOrNone, organization_id: IdOrNone }

export const NewPolicy = Type.Object({ email_pattern: Pattern, ...fields })
export const PolicyUpdate = Type.Object({ email_pattern: Maybe(Pattern), ...fields })
export const PolicyParams = Type.Object({ policy_id: Id })
