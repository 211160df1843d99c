import type { Routes } from '../../deps.ts'
import { forbidden, unavailable } from '../../http/errors.ts'
import { readsOnly } from '../../http/traced.ts'
import { theBroker } from '../../permission/guard.ts'
import type { BrokerUser } from './broker-access.ts'
import type { BrokerDeps } from './deps.ts'
import { MosquittoAnswer, MosquittoQuestion, MosquittoUser } from './schema.ts'

const READ = 1
const WRITE = 2
const BOTH = 3
const SUBSCRIBE = 4
const UNSUBSCRIBE = 8

/** The http backend of mosquitto-go-auth: the status is the answer. */
export const mosquittoRoutes: Routes<BrokerDeps> = (app, { brokerAccess, isBusRead }) => {
  const tags = ['Broker']
  const config = { access: theBroker, trace: readsOnly } as const
  const yes = { ok: true } as const

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      const { acc, ...texts } = Object.fromEntries(new URLSearchParams(String(body)))
      done(null, acc === undefined ? texts : { ...texts, acc: Number(acc) })
    }
  )

  app.post(
    '/user',
    {
      schema: {
        tags,
        operationId: 'mosquittoSignIn',
        summary: 'Mosquitto asks who connects',
        body: MosquittoUser,
        response: { 200: MosquittoAnswer }
      },
      config
    },
    async ({ body: { clientid, username, password } }) => {
      const user = userOf({ clientid, username })
      // Mosquitto forgets shared subscriptions when it restarts. Until we subscribe again, messages
      // would be lost although Mosquitto acknowledges them, so no device may connect yet.
      if (!brokerAccess.isPlatform(user.username) && !isBusRead()) {
        throw unavailable('the platform does not read the broker yet')
      }
      const who = await brokerAccess.signIn(user, password ?? '', '')
      if (who !== 'platform' && who !== 'user') throw forbidden()
      return yes
    }
  )

  app.post(
    '/acl',
    {
      schema: {
        tags,
        operationId: 'mosquittoAuthorize',
        summary: 'Mosquitto asks who may publish, subscribe and receive',
        body: MosquittoQuestion,
        response: { 200: MosquittoAnswer }
      },
      config
    },
    async ({ body: { clientid, username, topic, acc } }) => {
      if (!(await isAllowed(userOf({ clientid, username }), topic, acc))) throw forbidden()
      return yes
    }
  )

  async function isAllowed(user: BrokerUser, topic: string, acc: number): Promise<boolean> {
    switch (acc) {
      case READ:
        return brokerAccess.mayReceive(user, topic)
      case WRITE:
        return brokerAccess.mayPublish(user, topic)
      case BOTH:
        return (
          (await brokerAccess.mayReceive(user, topic)) &&
          (await brokerAccess.mayPublish(user, topic))
        )
      case SUBSCRIBE:
        return brokerAccess.maySubscribe(user, topic, { asksForDeliveries: true })
      default:
        return acc === UNSUBSCRIBE
    }
  }
}

type Asked = { clientid?: string | null | undefined; username?: string | null | undefined }

const userOf = ({ clientid, username }: Asked): BrokerUser => ({
  clientId: clientid ?? '',
  username: username ?? ''
})
