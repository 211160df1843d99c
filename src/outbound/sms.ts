import { phoneNumber } from '../lib/phone-number.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Sender } from './sender.ts'

const SEND_TIMEOUT_MS = 10 * SECOND

/** For any provider, or a small adapter for one: it gets POST `{to, text}` and answers 2xx. */
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
        // Providers accept only digits, without separators.
        body: JSON.stringify({ to: phoneNumber(to) ?? to, text }),
        redirect: 'error',
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS)
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the SMS gateway answered ${response.status}`)
    }
  }
}
