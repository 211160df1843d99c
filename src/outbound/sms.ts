import { phoneNumber } from '../lib/phone-number.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Sender } from './sender.ts'

const LIMIT = 10 * SECOND

/** Any provider, or a few lines in front of one: it gets POST `{to, text}` and answers 2xx. */
export function smsGateway(url: string): Sender {
  const { username, password } = new URL(url)
  const address = new URL(url)
  address.username = ''
  address.password = ''
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`
  return {
    async send({ to, text }) {
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(username !== '' && { authorization })
        },
        // Providers take digits, not what people put between them.
        body: JSON.stringify({ to: phoneNumber(to) ?? to, text }),
        redirect: 'error',
        signal: AbortSignal.timeout(LIMIT)
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the SMS gateway answered ${response.status}`)
    }
  }
}
