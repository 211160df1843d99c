import { basicCredentials, everyone, signedIn } from '../../access/guard.ts'
import { issueToken } from '../../access/tokens.ts'
import type { Routes } from '../../deps.ts'
import { tooManyTries, unauthorized } from '../../http/errors.ts'
import { deleteToken } from '../../registry/tokens.ts'
import { LoginAnswer } from './schema.ts'

export const authRoutes: Routes = (app, { registry, identity, clock }) => {
  app.post(
    '/',
    {
      schema: { tags: ['Auth'], summary: 'Sign in with Basic', response: { 200: LoginAnswer } },
      config: { access: everyone }
    },
    async (request) => {
      const basic = basicCredentials(request)
      if (!basic) throw unauthorized()
      const found = await identity.byPassword(basic.name, basic.password, request.ip)
      if ('fault' in found) {
        throw found.fault === 'throttled' ? tooManyTries(found.retryAfter) : unauthorized()
      }
      return { token: await issueToken(registry, found.principal.userId, clock()) }
    }
  )

  app.delete(
    '/',
    {
      schema: { tags: ['Auth'], summary: 'End the token that is shown' },
      config: { access: signedIn }
    },
    async ({ principal }, reply) => {
      // Someone who came with a password has no token to end, and is as signed out as before.
      if (principal.tokenId !== undefined) await deleteToken(registry, principal.tokenId, clock())
      return reply.code(200).send()
    }
  )
}
