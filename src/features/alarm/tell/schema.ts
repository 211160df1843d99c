import { Type } from 'typebox'
import { defaults } from '../../../http/described.ts'
import { Id, Maybe, UnixSeconds, UnixTime } from '../../../http/schema.ts'
import { Severity } from '../schema.ts'

export const SettingsParams = Type.Object({ user_id: Type.Union([Type.Literal('me'), Id]) })
export const SubscriptionParams = Type.Object({
  ...SettingsParams.properties,
  subscription_id: Id
})

const TimeOfDay = (description: string) =>
  Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description })

const Severities = Type.Array(Severity, { maxItems: 3 })
const Channel = Type.Union([
  Type.Literal('mail'),
  Type.Literal('sms'),
  Type.Literal('push'),
  Type.Literal('webhook')
])
const Channels = Type.Array(Channel, { maxItems: 4 })
const Quiet = Type.Object(
  { from: TimeOfDay('a time such as 22:00'), to: TimeOfDay('a time such as 07:00') },
  { title: 'QuietHours', additionalProperties: false }
)
const Digest = Type.String({
  pattern: '^(([01]\\d|2[0-3]):[0-5]\\d)?$',
  description: 'a time such as 08:00, or empty'
})
const Escalate = Type.Object(
  {
    after: Type.String({
      pattern: '^\\d{1,8}[smhd]$',
      description: 'a time from 1m to 7d, such as 15m'
    }),
    user_id: Id
  },
  { title: 'Escalation', additionalProperties: false }
)

const Webhook = Type.String({
  maxLength: 2000,
  description: 'Gets POST `{alarms, total}`; an address as of a notification executor, or empty'
})

export const Settings = Type.Object(
  {
    severities: Severities,
    channels: Channels,
    quiet: Type.Union([Quiet, Type.Null()], {
      description: 'Hours without messages, in the time zone of the installation'
    }),
    digest: Type.String({
      description: 'When what was held is told; empty: at the end of `quiet`'
    }),
    escalate: Type.Union([Escalate, Type.Null()], {
      description: 'Who is told if an alarm is still open and nobody has acknowledged it'
    }),
    webhook: Type.String()
  },
  { title: 'AlarmSettings' }
)

export const SettingsUpdate = Type.Object(
  {
    severities: Severities,
    channels: Channels,
    quiet: Maybe(Quiet),
    digest: Maybe(Digest),
    escalate: Maybe(Escalate),
    webhook: Maybe(Webhook)
  },
  { title: 'AlarmSettingsUpdate', ...defaults({ digest: '', webhook: '' }) }
)

const PushSubscription = Type.Object(
  {
    id: Type.Integer(),
    endpoint: Type.String({ description: 'Only the origin: the rest is a secret of the browser' }),
    created: UnixSeconds
  },
  { title: 'PushSubscription' }
)

export const Push = Type.Object(
  {
    public_key: Type.String({ description: '`applicationServerKey` of a browser, in base64url' }),
    subscriptions: Type.Array(PushSubscription)
  },
  { title: 'Push' }
)

const KeyText = Type.String({ minLength: 1, maxLength: 200 })

/** As `PushSubscription.toJSON()` of a browser gives it. */
export const NewSubscription = Type.Object(
  {
    endpoint: Type.String({ minLength: 1, maxLength: 2000 }),
    keys: Type.Object({ p256dh: KeyText, auth: KeyText }),
    expirationTime: Maybe(Type.Number({ description: 'Ignored' }))
  },
  { title: 'NewPushSubscription' }
)
export const Subscribed = PushSubscription

export const AlarmDelivery = Type.Object(
  {
    at: UnixTime,
    channel: Channel,
    to: Type.String({ description: 'Empty if the caller may not see the user' }),
    result: Type.String({ description: '`sent`, `failed: <why>` or `held`' })
  },
  { title: 'AlarmDelivery' }
)

const People = Type.Integer({ minimum: 0 })
export const AlarmRecipients = Type.Object(
  { info: People, warning: People, critical: People },
  { title: 'AlarmRecipients' }
)
