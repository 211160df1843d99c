import { Type } from 'typebox'
import { Address, AddressParts, Id, ignored, Maybe, Meta, Wanted } from '../../http/schema.ts'

export const UserId = Type.Union([Type.Literal('me'), Id])
export const UserParams = Type.Object({ user_id: UserId })

/** [contract: User] What else is known of a user is shown to existing clients only. [ADR-0032] */
export const User = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role: Type.Integer(),
  sms_login: Type.Boolean(),
  mobile: Type.String(),
  note: Type.String(),
  organisations: Type.Array(Type.Integer()),
  address: Address,
  meta: Meta,
  protected_meta: Type.Optional(Meta)
})

const Ids = Type.Array(Id, { maxItems: 10_000 })
const Name = Type.String({ maxLength: 255 })
const Email = Type.String({
  pattern: '^[^\\s@]+@[^\\s@]+$',
  maxLength: 255,
  description: 'an e-mail address'
})

/** As people write it; [ADR-0032] says what is dialled. */
const Mobile = Type.String({
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  maxLength: 255,
  description: 'text without control characters'
})

const optional = {
  id: ignored.id,
  sms_login: Maybe(Type.Boolean()),
  mobile: Maybe(Mobile),
  note: Maybe(Type.String({ maxLength: 65_536 })),
  assigned_installations: Maybe(Ids),
  expire_at: Maybe(Type.Integer({ minimum: 0, maximum: 1e11 })),
  password: Maybe(Type.String()),
  meta: Maybe(Meta),
  protected_meta: Maybe(Meta)
}

export const NewUser = Type.Object({
  email: Email,
  first_name: Name,
  last_name: Name,
  role: Id,
  organisations: Wanted(Ids, "the caller's first one; an empty list means the same"),
  address: Address,
  ...optional
})

export const UserUpdate = Type.Object({
  email: Wanted(Email, 'kept'),
  first_name: Wanted(Name, 'kept'),
  last_name: Wanted(Name, 'kept'),
  role: Wanted(Id, 'kept'),
  organisations: Wanted(Ids, 'kept; an empty list means the same'),
  address: Wanted(AddressParts('kept'), 'kept'),
  ...optional
})

export const PasswordChange = Type.Object({
  current_password: Type.String(),
  new_password: Type.String()
})
export const PasswordSet = Type.Object({
  current_password: Maybe(Type.String()),
  new_password: Type.String()
})
