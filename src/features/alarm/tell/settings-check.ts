import type { Static } from 'typebox'
import { badRequest } from '../../../http/errors.ts'
import { lastingOf } from '../../../lib/alarm/duration.ts'
import { phoneNumber } from '../../../lib/phone-number.ts'
import { DAY, MINUTE } from '../../../lib/unix-time.ts'
import type { Executors } from '../../../outbound/executors.ts'
import type { UserRow } from '../../../registry/users.ts'
import { isWithinHours } from './holding-back.ts'
import type { SettingsUpdate } from './schema.ts'
import type { AlarmSettings } from './settings.ts'

const MIN_ESCALATION_MS = MINUTE
const MAX_ESCALATION_MS = 7 * DAY

/** Throws 400 with the name of the field. What is missing is empty. */
export function checkedSettings(
  body: Static<typeof SettingsUpdate>,
  subject: Pick<UserRow, 'id' | 'mobile'>,
  executors: Executors
): AlarmSettings {
  const [severities, channels] = [[...new Set(body.severities)], [...new Set(body.channels)]]
  const [quiet, digest] = [body.quiet ?? null, body.digest ?? '']
  const [escalate, webhook] = [body.escalate ?? null, body.webhook ?? '']
  if (quiet && quiet.from === quiet.to) {
    throw badRequest('quiet.to must differ from quiet.from')
  }
  if (quiet && digest !== '' && isWithinHours(digest, quiet)) {
    throw badRequest('digest must not lie in the quiet hours')
  }
  if (escalate) {
    const after = lastingOf(escalate.after) ?? 0
    if (after < MIN_ESCALATION_MS || after > MAX_ESCALATION_MS) {
      throw badRequest('escalate.after must be a time from 1m to 7d')
    }
    if (escalate.user_id === subject.id) {
      throw badRequest('escalate.user_id must be another user')
    }
  }
  const fault = webhook === '' ? undefined : executors.urlFault(webhook)
  if (fault) throw badRequest(`webhook ${fault}`)
  if (channels.includes('webhook') && webhook === '') {
    throw badRequest('webhook is required for the channel webhook')
  }
  if (channels.includes('sms') && phoneNumber(subject.mobile) === undefined) {
    throw badRequest('mobile of the user must be a phone number for the channel sms')
  }
  return { severities, channels, quiet, digest, escalate, webhook }
}
