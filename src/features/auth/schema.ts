import { Type } from 'typebox'

export const LoginAnswer = Type.Object({
  token: Type.String(),
  nextstep: Type.Optional(Type.String())
})
