import { Type } from 'typebox'
import type { Routes } from '../../deps.ts'
import { Id } from '../../http/schema.ts'
import { updatesCaller } from '../../http/traced.ts'
import { permit, systemAccount } from '../../permission/guard.ts'
import { pushTokensOf } from '../../registry/phones.ts'
import { registerPhone } from './devices.ts'

const MAX_FIELD_LENGTH = 1024

/** The rule of each field and its words for the message. A phone may use spaces in its id. */
const rules = {
  device_id: { isGood: /^(?=.*\S)[^\p{Cc}]*$/u, words: 'text without control characters' },
  firebase_token: { isGood: /^\S*$/, words: 'text without spaces' }
}

const Field = Type.String({ maxLength: MAX_FIELD_LENGTH })
const Registration = Type.Object({ device_id: Field, firebase_token: Field }, { title: 'Mobile' })

const RegistrationAnswer = Type.Object(
  {
    invalid: Type.Array(Type.String()),
    messages: Type.Array(Type.String()),
    missing: Type.Array(Type.String()),
    mobile: Registration,
    valid: Type.Boolean()
  },
  { title: 'MobileAnswer' }
)

export const mobileRoutes: Routes = (app, { registry, clock }) => {
  const tags = ['Mobile']

  app.post(
    '/',
    {
      schema: {
        tags,
        operationId: 'registerMobile',
        summary: 'Register a phone for push notifications',
        // Any object is accepted: the answer tells what is wrong with it.
        body: Type.Object({}),
        response: { 200: RegistrationAnswer }
      },
      config: {
        access: permit('mobile/create'),
        body: Registration,
        trace: updatesCaller('registered a phone of')
      }
    },
    async (request) => {
      const { principal, body } = request
      const answer = examine(body)
      if (answer.valid) {
        await registerPhone(registry, { ...answer.mobile, user_id: principal.userId }, clock())
      }
      request.changedNothing = !answer.valid
      return answer
    }
  )

  app.get(
    '/:user_id',
    {
      schema: {
        tags,
        operationId: 'listPushTokens',
        summary: 'Push tokens of a user, for system accounts',
        params: Type.Object({ user_id: Id }),
        response: { 200: Type.Array(Type.String()) }
      },
      config: { access: systemAccount }
    },
    ({ params }) => pushTokensOf(registry, params.user_id)
  )
}

const isGood = (name: keyof typeof rules, value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_FIELD_LENGTH && rules[name].isGood.test(value)

/** [contract: Mobile] The names of missing and of malformed fields. */
function examine(fields: { device_id?: unknown; firebase_token?: unknown }) {
  const missing: string[] = []
  const invalid: string[] = []
  const messages: string[] = []
  const mobile = { device_id: '', firebase_token: '' }
  for (const name of ['device_id', 'firebase_token'] as const) {
    const value = fields[name]
    if (value === undefined || value === null || value === '') missing.push(name)
    else if (isGood(name, value)) mobile[name] = value
    else {
      invalid.push(name)
      messages.push(
        `${name} must be ${rules[name].words}, of at most ${MAX_FIELD_LENGTH} characters`
      )
    }
  }
  const valid = missing.length === 0 && invalid.length === 0
  return { invalid, messages, missing, mobile, valid }
}
