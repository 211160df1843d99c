import { phoneNumber } from '../../../lib/phone-number.ts'
import { ExecutorFault, type Executors } from '../../../outbound/executors.ts'
import type { Sender } from '../../../outbound/sender.ts'
import type { Principal } from '../../../permission/principal.ts'
import { findPhoneExecutor, pushTokensOf } from '../../../registry/phones.ts'
import type { Registry } from '../../../registry/tables.ts'
import { shownAlarm } from '../shown.ts'
import { listSubscriptions, pushKeys, pushRequest, removeSubscription } from './push.ts'
import type { Person } from './recipients.ts'
import type { Channel } from './settings.ts'
import { mailText, pushText, smsText, subjectOf, type Told } from './told.ts'

/** In the body for a webhook or an executor. */
const MAX_BODY_CHARACTERS = 1024 * 1024

/** The message continues `failed: `. A final one is not tried again. */
export class TellFault extends Error {
  readonly isFinal: boolean

  constructor(message: string, { isFinal, cause }: { isFinal: boolean; cause?: unknown }) {
    super(message, { cause })
    this.isFinal = isFinal
  }
}

export type SendingParts = {
  registry: Registry
  mail: Sender
  sms: Sender
  executors: Executors
  publicUrl: () => string
  /** A person or page that push services can turn to. */
  contact: () => string
}

type To = { person: Person; principal: Principal; stop: AbortSignal }
type Send = (parts: SendingParts, told: Told, to: To) => Promise<void>

/** Resolves when the message has been taken over by somebody; otherwise rejects with TellFault. */
export const send = (channel: Channel, parts: SendingParts, told: Told, to: To): Promise<void> =>
  senders[channel](parts, told, to)

/** Where a message goes, for the list of deliveries. A webhook may have a secret in its path. */
export function addressOf(
  channel: Channel,
  { email, mobile, settings }: Pick<Person, 'email' | 'mobile' | 'settings'>
): string {
  if (channel === 'mail') return email
  if (channel === 'sms') return mobile
  if (channel === 'push') return 'push'
  return URL.canParse(settings.webhook) ? new URL(settings.webhook).origin : ''
}

const senders: Readonly<Record<Channel, Send>> = {
  async mail({ mail, publicUrl }, told, { person }) {
    const text = mailText(told, publicUrl())
    await handOver('the mail server did not take it', () =>
      mail.send({ kind: 'mail', to: person.email, subject: subjectOf(told), text })
    )
  },

  async sms({ sms }, told, { person }) {
    if (phoneNumber(person.mobile) === undefined) {
      throw new TellFault('the user has no mobile number', { isFinal: true })
    }
    await handOver('the SMS gateway did not take it', () =>
      sms.send({ kind: 'sms', to: person.mobile, text: smsText(told) })
    )
  },

  async webhook({ executors }, told, { person, stop }) {
    const { webhook: url } = person.settings
    if (url === '') throw new TellFault('the user has no webhook', { isFinal: true })
    const body = JSON.stringify(rowsOf(told))
    await handOver('the webhook', () => executors.call({ url, secret: '', body }, stop))
  },

  /** It is enough that one browser or phone gets it. */
  async push(parts, told, to) {
    const faults: TellFault[] = []
    let sent = 0
    for (const one of [browsers, phones]) {
      const outcome = await one(parts, told, to)
      sent += outcome.sent
      faults.push(...outcome.faults)
    }
    if (sent > 0) return
    const again = faults.find(({ isFinal }) => !isFinal) ?? faults[0]
    throw again ?? new TellFault('the user has no browser or phone for push', { isFinal: true })
  }
}

type Outcome = { sent: number; faults: TellFault[] }

async function browsers(
  { registry, executors, publicUrl, contact }: SendingParts,
  told: Told,
  { person, stop }: To
): Promise<Outcome> {
  const outcome: Outcome = { sent: 0, faults: [] }
  const subscriptions = await listSubscriptions(registry, person.id)
  if (subscriptions.length === 0) return outcome
  const keys = { ...(await pushKeys(registry)), contact: contact() }
  const payload = JSON.stringify({
    title: subjectOf(told),
    body: pushText(told),
    url: publicUrl(),
    total: told.total
  })
  for (const subscription of subscriptions) {
    const { id } = subscription
    try {
      const status = await handOver('the push service', async () =>
        executors.post(await pushRequest(subscription, payload, keys), stop)
      )
      if (status >= 200 && status <= 299) outcome.sent++
      else {
        const isFinal = status < 500 && status !== 429
        outcome.faults.push(new TellFault(`the push service answered ${status}`, { isFinal }))
      }
      // [RFC 8030, 7.3] The browser has ended the subscription.
      if (status === 404 || status === 410) await removeSubscription(registry, person.id, id)
    } catch (error) {
      if (!(error instanceof TellFault)) throw error
      outcome.faults.push(error)
    }
  }
  return outcome
}

/** [contract: Mobile] The executor of the user's organizations, or of those above them, has them. */
async function phones(
  { registry, executors }: SendingParts,
  told: Told,
  { person, principal, stop }: To
): Promise<Outcome> {
  const tokens = await pushTokensOf(registry, person.id)
  if (tokens.length === 0) return { sent: 0, faults: [] }
  const executor = await findPhoneExecutor(registry, [...principal.organizationsAbove])
  if (!executor) {
    const fault = new TellFault('there is no executor of the type push', { isFinal: true })
    return { sent: 0, faults: [fault] }
  }
  const body = JSON.stringify({
    ...{ message: pushText(told), subject: subjectOf(told), user_id: person.id, tokens },
    ...{ executor_config: executor.config, payload: rowsOf(told) }
  })
  const { url = '' } = executor.config
  try {
    await handOver('the executor', () =>
      executors.call({ url, secret: executor.secret, body }, stop)
    )
    return { sent: 1, faults: [] }
  } catch (error) {
    if (!(error instanceof TellFault)) throw error
    return { sent: 0, faults: [error] }
  }
}

/** As many rows as fit. */
function rowsOf({ alarms, past, total, over }: Told) {
  const rows: ReturnType<typeof shownAlarm>[] = []
  let size = 0
  for (const alarm of [...alarms, ...past]) {
    const row = shownAlarm(alarm)
    size += row.message.length + row.note.length + row.topic.length + 300
    if (size > MAX_BODY_CHARACTERS) break
    rows.push(row)
  }
  return { alarms: rows, total: total + over }
}

/** The reason that is shown says nothing about servers; the log has it. */
async function handOver<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ExecutorFault) {
      const isFinal = cause.outcome === 'refused'
      throw new TellFault(`${what} ${cause.message}`, { isFinal, cause })
    }
    throw new TellFault(what, { isFinal: false, cause })
  }
}
