import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import {
  Address,
  AddressParts,
  Id,
  ignored,
  Maybe,
  Meta,
  NewPasswordText,
  Wanted
} from '../../http/schema.ts'

export const UserId = Type.Union([Type.Literal('me'), Id])
export const UserParams = Type.Object({ user_id: UserId })

/** [contract: User] Further fields are shown to existing clients only. [ADR-0032] */
export const User = Type.Object(
  {
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
    expire_at: Type.Optional(
      Type.Integer({ description: 'Unix time of the end of the account; only if there is one' })
    )
  },
  { title: 'User' }
)

const MAX_IDS = 10_000
const Ids = Type.Array(Id, { maxItems: MAX_IDS })
const Name = Type.String({ maxLength: 255 })
const Email = Type.String({
  pattern: '^[^\\s@]+@[^\\s@]+$',
  maxLength: 255,
  description: 'an e-mail address'
})

/** Stored as people write it; [ADR-0032] says which number is called. */
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
  password: Maybe(NewPasswordText),
  meta: Maybe(Meta),
  protected_meta: Maybe(Meta)
}

export const NewUser = Type.Object(
  {
    email: Email,
    first_name: Name,
    last_name: Name,
    role: Id,
    organisations: Wanted(Ids, "the caller's first one; an empty list means the same"),
    address: Address,
    ...optional
  },
  {
    title: 'NewUser',
    ...defaults({
      sms_login: false,
      mobile: '',
      note: '',
      assigned_installations: [],
      expire_at: 0,
      meta: {},
      protected_meta: {}
    })
  }
)

export const UserUpdate = Type.Object(
  {
    email: Maybe(Email),
    first_name: Maybe(Name),
    last_name: Maybe(Name),
    role: Maybe(Id),
    organisations: Maybe(
      Type.Array(Id, { maxItems: MAX_IDS, description: 'An empty list keeps them' })
    ),
    address: Maybe(AddressParts('kept')),
    ...optional
  },
  { title: 'UserUpdate' }
)

export const PasswordChange = Type.Object(
  {
    current_password: Type.String(),
    new_password: NewPasswordText
  },
  { title: 'PasswordChange' }
)
export const PasswordSet = Type.Object(
  {
    current_password: Maybe(Type.String()),
    new_password: NewPasswordText
  },
  { title: 'PasswordSet' }
)
