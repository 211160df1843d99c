import { Type } from 'typebox'
import { OPTIONAL_BODY } from '../../http/openapi.ts'
import { Maybe } from '../../http/schema.ts'

export const LoginAnswer = Type.Object({
  token: Type.String(),
  nextstep: Type.Optional(Type.String({ description: '`smslogin`: PUT the code of the SMS' }))
})

export const Challenge = Type.Object(
  { challenge: Maybe(Type.String({ maxLength: 100, description: 'The code of the SMS' })) },
  OPTIONAL_BODY
)
export const ResetRequest = Type.Object({ email: Type.String({ minLength: 1, maxLength: 255 }) })
export const NewPassword = Type.Object({ password: Type.String() })
