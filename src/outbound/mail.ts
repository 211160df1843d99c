import { SECOND } from '../lib/unix-time.ts'
import type { Sender } from './sender.ts'

/** The longest wait for a mail server that does not answer. */
const TIMEOUTS_MS = {
  connectionTimeout: 10 * SECOND,
  greetingTimeout: 10 * SECOND,
  socketTimeout: 20 * SECOND
}

export function smtpSender(url: string, from: string): Sender {
  const { protocol, hostname, port, username, password } = new URL(url)
  const options = {
    host: hostname,
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    }),
    ...TIMEOUTS_MS
  }
  // Loaded with the first letter, because many nodes send none.
  const open = async () => (await import('nodemailer')).createTransport(options)
  let transport: ReturnType<typeof open> | undefined
  return {
    async send({ to, subject, text }) {
      transport ??= open()
      await (await transport).sendMail({ from, to, subject, text })
    }
  }
}
