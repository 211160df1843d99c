import { Type } from 'typebox'
import { Maybe } from '../../http/schema.ts'

/** Brokers leave out what a client did not send, or send it as null. */
const Given = Maybe(Type.String({ maxLength: 65_535 }))

/** The body of EMQX' HTTP authentication, as deploy/emqx asks. */
export const EmqxSignIn = Type.Object({
  clientid: Type.String({ maxLength: 65_535 }),
  username: Given,
  password: Given,
  peerhost: Given
})
export const EmqxSignInAnswer = Type.Object({
  result: Type.Union([Type.Literal('allow'), Type.Literal('deny')]),
  is_superuser: Type.Boolean()
})

export const EmqxQuestion = Type.Object({
  clientid: Type.String({ maxLength: 65_535 }),
  username: Given,
  topic: Type.String({ maxLength: 65_535 }),
  action: Type.Union([Type.Literal('publish'), Type.Literal('subscribe')])
})
export const EmqxAnswer = Type.Object({
  result: Type.Union([Type.Literal('allow'), Type.Literal('deny')])
})

/** What mosquitto-go-auth sends, as JSON or as a form. */
export const MosquittoUser = Type.Object({ username: Given, password: Given, clientid: Given })
export const MosquittoQuestion = Type.Object({
  username: Given,
  clientid: Given,
  topic: Type.String({ maxLength: 65_535 }),
  acc: Type.Integer({ description: '1 read, 2 write, 3 both, 4 subscribe, 8 unsubscribe' })
})
/** The status is the answer; this is for those who ask with response mode json. */
export const MosquittoAnswer = Type.Object({ ok: Type.Literal(true) })
