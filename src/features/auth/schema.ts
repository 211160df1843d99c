import { Type } from 'typebox'
import { OPTIONAL_BODY } from '../../http/described.ts'
import { Maybe, NewPasswordText } from '../../http/schema.ts'

export const LoginAnswer = Type.Object(
  {
    token: Type.String(),
    nextstep: Type.Optional(
      Type.String({ description: '`smslogin`: send the code of the SMS with PUT' })
    )
  },
  { title: 'Session' }
)

export const Challenge = Type.Object(
  { challenge: Maybe(Type.String({ maxLength: 100, description: 'The code of the SMS' })) },
  { ...OPTIONAL_BODY, title: 'Challenge' }
)
export const ResetRequest = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 255 }) },
  { title: 'PasswordResetRequest' }
)
export const NewPassword = Type.Object({ password: NewPasswordText }, { title: 'NewPassword' })
