import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { smtpSender } from './mail.ts'
import { openOutbox } from './outbox.ts'
import type { Sender } from './sender.ts'
import { smsGateway } from './sms.ts'

/** The URL picks the way out; without one, or with `file:`, messages wait in DATA_DIR/outbox. */
export function openSenders(config: Config, clock: Clock): { mail: Sender; sms: Sender } {
  const outbox = openOutbox(config.DATA_DIR, clock)
  const isFile = (url: string) => url === '' || url.startsWith('file:')
  return {
    mail: isFile(config.MAIL_URL) ? outbox : smtpSender(config.MAIL_URL, config.MAIL_FROM),
    sms: isFile(config.SMS_URL) ? outbox : smsGateway(config.SMS_URL)
  }
}
