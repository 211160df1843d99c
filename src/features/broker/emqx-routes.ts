import { theBroker } from '../../access/guard.ts'
import { readsOnly } from '../../access/trace.ts'
import type { Routes } from '../../deps.ts'
import { EmqxAnswer, EmqxQuestion, EmqxSignIn, EmqxSignInAnswer } from './schema.ts'

/** EMQX 5, HTTP authentication and authorization: 200, and the answer in the body. */
export const emqxRoutes: Routes = (app, { brokerAccess, isBusRead }) => {
  const tags = ['Broker']
  const config = { access: theBroker, trace: readsOnly } as const

  app.post(
    '/auth',
    {
      schema: {
        tags,
        summary: 'EMQX asks who connects',
        body: EmqxSignIn,
        response: { 200: EmqxSignInAnswer }
      },
      config
    },
    async ({ body: { clientid, username, password, peerhost } }) => {
      const user = { clientId: clientid, username: username ?? '' }
      // EMQX forgets sessions when it restarts: what came before ours would go to nobody, though
      // its sender is told that it arrived.
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
