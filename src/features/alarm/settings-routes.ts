import type { Static } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest, notFound } from '../../http/errors.ts'
import { Message } from '../../http/schema.ts'
import { updates } from '../../http/traced.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import { onUser, ownUser } from '../../permission/guard.ts'
import { usersVisibleTo } from '../../permission/visibility.ts'
import { visibleUsers } from '../../registry/users.ts'
import type { TellDeps } from './tell/deps.ts'
import {
  addSubscription,
  keysFault,
  listSubscriptions,
  pushKeys,
  removeSubscription,
  type Subscription
} from './tell/push.ts'
import {
  NewSubscription,
  Push,
  Settings,
  SettingsParams,
  SettingsUpdate,
  Subscribed,
  SubscriptionParams
} from './tell/schema.ts'
import { readSettings, writeSettings } from './tell/settings.ts'
import { checkedSettings } from './tell/settings-check.ts'

/** Such a service wants keys of its own, and does not know those of this platform. */
const OLD_PUSH_SERVICE = 'https://android.googleapis.com/gcm/send'

/** How a user is told of alarms. [ADR-0065] */
export const alarmSettingsRoutes: Routes<TellDeps> = (app, { registry, executors, clock }) => {
  const tags = ['Alarm']
  const params = SettingsParams
  // A webhook gets all alarms that the user may list, so this is as much as a sign-in.
  const access = ownUser('user/update')

  app.get(
    '/:user_id/alarm',
    {
      schema: {
        tags,
        operationId: 'getUserAlarmSettings',
        summary: 'How a user is told of alarms; empty lists: not at all',
        params,
        response: { 200: Settings }
      },
      config: { access: onUser('user/update') }
    },
    ({ subject }) => readSettings(registry, subject.id)
  )

  app.put(
    '/:user_id/alarm',
    {
      schema: {
        tags,
        operationId: 'updateUserAlarmSettings',
        summary: 'Replace how a user is told of alarms',
        params,
        body: SettingsUpdate,
        response: { 200: Settings }
      },
      config: { access, trace: updates('user', 'user_id', 'changed the alarm settings of') }
    },
    async ({ principal, subject, body }) => {
      const settings = checkedSettings(body, subject, executors)
      const next = settings.escalate?.user_id
      if (next !== undefined) {
        const visible = await visibleUsers(registry, [next], usersVisibleTo(principal))
        if (!visible.has(next)) throw badRequest('escalate.user_id does not exist')
      }
      await writeSettings(registry, subject.id, settings, clock())
      return settings
    }
  )

  app.get(
    '/:user_id/alarm/push',
    {
      schema: {
        tags,
        operationId: 'getUserPush',
        summary: 'The public key for Web Push, and the browsers that a user is told by',
        params,
        response: { 200: Push }
      },
      config: { access: onUser('user/update') }
    },
    async ({ subject }) => ({
      public_key: (await pushKeys(registry)).publicKey,
      subscriptions: (await listSubscriptions(registry, subject.id)).map(shown)
    })
  )

  app.post(
    '/:user_id/alarm/push',
    {
      schema: {
        tags,
        operationId: 'createUserPushSubscription',
        summary: 'Register a browser for Web Push; the newest 20 of a user are kept',
        params,
        body: NewSubscription,
        response: { 200: Subscribed }
      },
      config: { access, trace: updates('user', 'user_id', 'registered a browser of') }
    },
    async ({ subject, body: { endpoint, keys } }) => {
      const fault = executors.urlFault(endpoint)
      if (fault) throw badRequest(`endpoint ${fault}`)
      if (endpoint.startsWith(OLD_PUSH_SERVICE)) {
        throw badRequest('endpoint must be of a push service that takes VAPID keys')
      }
      const wrong = keysFault(keys)
      if (wrong) throw badRequest(wrong)
      const { p256dh, auth } = keys
      const subscription = { user_id: subject.id, endpoint, p256dh, auth, created: clock() }
      return shown(await addSubscription(registry, subscription))
    }
  )

  app.delete(
    '/:user_id/alarm/push/:subscription_id',
    {
      schema: {
        tags,
        operationId: 'deleteUserPushSubscription',
        faults: [404],
        summary: 'Remove a browser',
        params: SubscriptionParams,
        response: { 200: Message }
      },
      config: { access, trace: updates('user', 'user_id', 'removed a browser of') }
    },
    async ({ subject, params }) => {
      if (!(await removeSubscription(registry, subject.id, params.subscription_id))) {
        throw notFound()
      }
      return { message: 'Deleted' }
    }
  )
}

const shown = ({ id, endpoint, created }: Subscription): Static<typeof Subscribed> => ({
  id,
  endpoint: new URL(endpoint).origin,
  created: toWholeSeconds(created)
})
