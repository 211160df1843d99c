import { Type } from 'typebox'
import { Address, Meta } from '../../http/schema.ts'

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
