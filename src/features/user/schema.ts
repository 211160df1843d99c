import { Type } from 'typebox'
import { Address, Id, Maybe, Meta } from '../../http/schema.ts'

export const UserId = Type.Union([Type.Literal('me'), Id])
export const UserParams = Type.Object({ user_id: UserId })

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
  protected_meta: Type.Optional(Meta),
  assigned_installations: Type.Array(Type.Integer()),
  expire_at: Type.Integer({ description: 'Unix time; 0 = never' })
})

/** One client sends `{}` where it means an empty list. */
const Ids = Type.Union([
  Type.Array(Id, { maxItems: 10_000 }),
  Type.Object({}, { additionalProperties: false })
])
const Name = Type.String({ maxLength: 255 })
const Email = Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 255 })

const optional = {
  sms_login: Maybe(Type.Boolean()),
  mobile: Maybe(Type.String({ pattern: '^[+0-9 ()-]*$', maxLength: 40 })),
  note: Maybe(Type.String({ maxLength: 65_536 })),
  organisations: Maybe(Ids),
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
  address: Address,
  ...optional
})

export const UserUpdate = Type.Object({
  email: Maybe(Email),
  first_name: Maybe(Name),
  last_name: Maybe(Name),
  role: Maybe(Id),
  address: Maybe(Type.Partial(Address)),
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
