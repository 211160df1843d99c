import { Type } from 'typebox'
import { Maybe } from '../../http/schema.ts'

/** Brokers omit a field that a client did not send, or send it as null. */
const Given = Maybe(Type.String({ maxLength: 65_535 }))

/** The body that EMQX sends for HTTP authentication, as configured in deploy/emqx. */
export const EmqxSignIn = Type.Object(
  {
    clientid: Type.String({ maxLength: 65_535 }),
    username: Given,
    password: Given,
    peerhost: Given
  },
  { title: 'EmqxSignIn' }
)
export const EmqxSignInAnswer = Type.Object(
  {
    result: Type.Union([Type.Literal('allow'), Type.Literal('deny')]),
    is_superuser: Type.Boolean()
  },
  { title: 'EmqxSignInAnswer' }
)

export const EmqxQuestion = Type.Object(
  {
    clientid: Type.String({ maxLength: 65_535 }),
    username: Given,
    topic: Type.String({ maxLength: 65_535 }),
    action: Type.Union([Type.Literal('publish'), Type.Literal('subscribe')])
  },
  { title: 'EmqxQuestion' }
)
export const EmqxAnswer = Type.Object(
  {
    result: Type.Union([Type.Literal('allow'), Type.Literal('deny')])
  },
  { title: 'EmqxAnswer' }
)

/** The body that mosquitto-go-auth sends, as JSON or as a form. */
export const MosquittoUser = Type.Object(
  { username: Given, password: Given, clientid: Given },
  { title: 'MosquittoUser' }
)
export const MosquittoQuestion = Type.Object(
  {
    username: Given,
    clientid: Given,
    topic: Type.String({ maxLength: 65_535 }),
    acc: Type.Integer({ description: '1 read, 2 write, 3 both, 4 subscribe, 8 unsubscribe' })
  },
  { title: 'MosquittoQuestion' }
)
/** The status is the answer; the body is for the response mode `json`. */
export const MosquittoAnswer = Type.Object({ ok: Type.Literal(true) }, { title: 'MosquittoAnswer' })
