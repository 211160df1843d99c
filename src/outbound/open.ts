import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { smtpSender } from './mail.ts'
import { openOutbox } from './outbox.ts'
import type { Letter, Sender } from './sender.ts'
import { smsGateway } from './sms.ts'

/** Hears how each letter ended. */
type Told = (kind: Letter['kind'], outcome: 'sent' | 'failed') => void

/**
 * The URL selects the sender. Without one, or with `file:`, messages are written to
 * DATA_DIR/outbox.
 */
export function openSenders(
  config: Config,
  clock: Clock,
  told: Told
): { mail: Sender; sms: Sender } {
  const outbox = openOutbox(config.DATA_DIR, clock)
  const isFile = (url: string) => url === '' || url.startsWith('file:')
  return {
    mail: counted(
      'mail',
      isFile(config.MAIL_URL) ? outbox : smtpSender(config.MAIL_URL, config.MAIL_FROM),
      told
    ),
    sms: counted('sms', isFile(config.SMS_URL) ? outbox : smsGateway(config.SMS_URL), told)
  }
}

const counted = (kind: Letter['kind'], { send }: Sender, told: Told): Sender => ({
  async send(letter) {
    try {
      await send(letter)
      told(kind, 'sent')
    } catch (error) {
      told(kind, 'failed')
      throw error
    }
  }
})
