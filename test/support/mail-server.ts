import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type Mail = { to: string; subject: string; text: string }

/** A real mail server on this machine. While `isRefusing` is true it takes nothing. */
export async function startMailServer() {
  const mails: Mail[] = []
  const state = { isRefusing: false }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      let raw = ''
      stream.on('data', (chunk) => {
        raw += chunk
      })
      stream.on('end', () => {
        if (state.isRefusing) return done(new Error('the disk is full'))
        for (const { address } of envelope.rcptTo) mails.push({ to: address, ...read(raw) })
        return done()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const stop = () => void server.close(() => {})
  return { url: `smtp://127.0.0.1:${port}`, mails, state, stop }
}

function read(raw: string): { subject: string; text: string } {
  const [head = '', ...body] = raw.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const field = (name: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
  const content = body.join('\r\n\r\n').replaceAll('\r\n', '\n')
  const encoding = field('content-transfer-encoding')
  const text =
    encoding === 'base64'
      ? Buffer.from(content, 'base64').toString()
      : encoding === 'quoted-printable'
        ? unquoted(content.replace(/=\n/g, ''))
        : content
  return { subject: words(field('subject')), text }
}

/** [RFC 2045, 6.7] */
const unquoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1'
  ).toString()

/** [RFC 2047] */
const words = (text: string): string =>
  text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_, word) => unquoted(word.replaceAll('_', ' ')))
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, word) => Buffer.from(word, 'base64').toString())
