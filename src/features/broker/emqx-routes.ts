import type { Routes } from '../../deps.ts'
import { readsOnly } from '../../http/traced.ts'
import { theBroker } from '../../permission/guard.ts'
import type { BrokerDeps } from './deps.ts'
import { EmqxAnswer, EmqxQuestion, EmqxSignIn, EmqxSignInAnswer } from './schema.ts'

/**
 * HTTP authentication and authorization of EMQX 5: the status is 200, the answer is in the body.
 */
export const emqxRoutes: Routes<BrokerDeps> = (app, { brokerAccess, isBusRead }) => {
  const tags = ['Broker']
  const config = { access: theBroker, trace: readsOnly } as const

  app.post(
    '/auth',
    {
      schema: {
        tags,
        operationId: 'emqxSignIn',
        summary: 'EMQX asks who connects',
        body: EmqxSignIn,
        response: { 200: EmqxSignInAnswer }
      },
      config
    },
    async ({ body: { clientid, username, password, peerhost } }) => {
      const user = { clientId: clientid, username: username ?? '' }
      // EMQX forgets sessions when it restarts. Until we subscribe again, messages would be lost
      // although EMQX acknowledges them, so no device may connect yet.
      if (!brokerAccess.isPlatform(user.username) && !isBusRead()) {
        return { result: 'deny', is_superuser: false } as const
      }
      const who = await brokerAccess.signIn(user, password ?? '', peerhost ?? '')
      const isIn = who === 'platform' || who === 'user'
      return { result: isIn ? 'allow' : 'deny', is_superuser: who === 'platform' } as const
    }
  )

  app.post(
    '/acl',
    {
      schema: {
        tags,
        operationId: 'emqxAuthorize',
        summary: 'EMQX asks who may publish and subscribe',
        body: EmqxQuestion,
        response: { 200: EmqxAnswer }
      },
      config
    },
    async ({ body: { clientid, username, topic, action } }) => {
      const user = { clientId: clientid, username: username ?? '' }
      const isAllowed = await (action === 'publish'
        ? brokerAccess.mayPublish(user, topic)
        : brokerAccess.maySubscribe(user, topic, { asksForDeliveries: false }))
      return { result: isAllowed ? 'allow' : 'deny' } as const
    }
  )
}
