import type { Routes } from '../../deps.ts'
import { afterAnswer } from '../../http/after-answer.ts'
import { basicCredentials, keyOf, originOf } from '../../http/credentials.ts'
import { withKey, withPassword } from '../../http/described.ts'
import { badRequest, unauthorized } from '../../http/errors.ts'
import { authenticates } from '../../http/traced.ts'
import { everyone, pending, signedIn, signInError } from '../../permission/guard.ts'
import { deleteToken } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { finishLogin, login } from './login.ts'
import { askForResetKey, setNewPassword } from './password-reset.ts'
import { Challenge, LoginAnswer, NewPassword, ResetRequest } from './schema.ts'

export const authRoutes: Routes = (app, deps) => {
  const { registry, identity, clock, log } = deps
  const tags = ['Auth']

  app.post(
    '/',
    {
      schema: {
        tags,
        operationId: 'signIn',
        security: withPassword,
        faults: [401, 429],
        summary: 'Sign in with Basic',
        response: { 200: LoginAnswer }
      },
      config: {
        access: everyone,
        evenWhenFull: 'writes little',
        trace: authenticates('signed in with the password of')
      }
    },
    async (request) => {
      const basic = basicCredentials(request)
      if (!basic) throw unauthorized()
      const verified = await identity.verify(basic.name, basic.password, request.ip)
      if ('fault' in verified) throw signInError(verified)
      request.signedInAs = verified.user.id
      return login(deps, verified, originOf(request))
    }
  )

  app.put(
    '/',
    {
      schema: {
        tags,
        operationId: 'finishSignIn',
        faults: [429],
        summary: 'Finish a sign-in with the code of the SMS',
        description:
          'Send the token of POST /api/v2/auth, if its answer had `nextstep`. Without a challenge ' +
          'the answer is 401: no SMS is sent again, and none of the five tries is used. ' +
          'For another code, sign in again.',
        body: Challenge,
        response: { 200: LoginAnswer }
      },
      config: {
        access: pending,
        evenWhenFull: 'writes little',
        trace: authenticates('signed in with the second factor of')
      },
      // [contract: Auth] The body is optional.
      preValidation: async (request) => {
        request.body ??= {}
      }
    },
    async (request) => {
      const challenge = request.body.challenge ?? ''
      return finishLogin(deps, request.pendingToken, { challenge, origin: originOf(request) })
    }
  )

  app.delete(
    '/',
    {
      schema: { tags, operationId: 'signOut', summary: 'Sign out: end the token of this request' },
      config: { access: signedIn, bodiless: [200], trace: authenticates('signed out') }
    },
    async ({ principal }) => {
      const { tokenId, userId } = principal
      // A caller who signed in with a password has no token to end.
      if (tokenId !== undefined) {
        const token = { id: tokenId, user_id: userId }
        await inTransaction(registry, (registry) => deleteToken(registry, token, clock()))
      }
      return { message: 'Signed out' }
    }
  )

  app.post(
    '/reset_password',
    {
      schema: {
        tags,
        operationId: 'requestPasswordReset',
        summary: 'Ask for a new password by mail',
        body: ResetRequest
      },
      config: {
        access: everyone,
        bodiless: [200],
        evenWhenFull: 'writes little',
        trace: { ...authenticates('asked for a new password of'), action: 'execute' }
      }
    },
    async ({ body }, reply) => {
      // Known and unknown accounts get the same answer, in the same time.
      afterAnswer(reply, () =>
        askForResetKey(deps, body.email).catch((err) =>
          log.error({ err }, 'the key for a new password could not be sent')
        )
      )
      return { message: 'A key is sent if the account exists' }
    }
  )

  app.put(
    '/reset_password',
    {
      schema: {
        tags,
        operationId: 'resetPassword',
        security: withKey,
        summary: 'Set a new password; send the key of the mail in X-API-Key',
        body: NewPassword
      },
      config: {
        access: everyone,
        bodiless: [200, 400],
        evenWhenFull: 'writes little',
        trace: { ...authenticates('set a new password of'), action: 'update' }
      }
    },
    async (request) => {
      const key = keyOf(request)
      if (!key) throw badRequest('the key is missing')
      request.signedInAs = await setNewPassword(deps, key, request.body.password)
      return { message: 'Password changed' }
    }
  )
}
