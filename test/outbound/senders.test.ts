import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})
const ask = ({ world }: TestPlatform, email: string) =>
  world.request('POST /api/v2/auth/reset_password', { body: { email } })
const signIn = (
  { world }: TestPlatform,
  { email, password }: { email: string; password: string }
) => world.request('POST /api/v2/auth', { headers: basic(email, password) })

test('the key for a new password is sent by SMTP and works', async (t) => {
  const mails: { to: string[]; from: string; text: string; user: string }[] = []
  const smtp = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'p@ss' ? done(null, { user: username }) : done(new Error('no')),
    onData: (stream, { envelope, user }, done) => {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address)
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        mails.push({ to, from, text, user: String(user) })
        done()
      })
    }
  })
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  t.after(() => smtp.close(() => {}))
  const platform = await startTestPlatform({
    settings: {
      CARACAL_MAIL_URL: `smtp://us%40er:p%40ss@127.0.0.1:${portOf(smtp.server)}`,
      CARACAL_MAIL_FROM: 'platform@example.org'
    }
  })
  t.after(() => platform.stop())
  const user = await platform.world.user()
  assert.equal((await ask(platform, user.email)).status, 200)
  const mail = await eventually(() => mails[0] ?? assert.fail('no mail yet'))
  assert.deepEqual([mail.to, mail.from, mail.user], [[user.email], 'platform@example.org', 'us@er'])
  const key = mail.text.split(/\r?\n/).find((line) => /^[\w-]{43}$/.test(line)) ?? ''
  assert.equal(mail.text.split(key).length, 3, 'the key stands in the text twice, nowhere else')
  const link = `${platform.url}/new-password#key=${key}`
  // A mail program puts long lines together again. [RFC 2045, 6.7]
  const read = mail.text.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
  assert(read.split(/\r?\n/).includes(link), 'the link is whole, on a line of its own')
  const done = await platform.world.request('PUT /api/v2/auth/reset_password', {
    as: { token: key },
    body: { password: 'a brand new secret' }
  })
  assert.equal(done.status, 200)
})

test('the code is sent to the SMS gateway and works', async (t) => {
  const sent: { to: string; text: string; authorization: string | undefined }[] = []
  const gateway = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    sent.push({ ...JSON.parse(body), authorization: request.headers.authorization })
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  t.after(() => gateway.close())
  const platform = await startTestPlatform({
    settings: { CARACAL_SMS_URL: `http://me:secret@127.0.0.1:${portOf(gateway)}/send` }
  })
  t.after(() => platform.stop())
  const user = await platform.world.user({ sms_login: true, mobile: '+46 (0)70-1' })
  const { token } = (await signIn(platform, user)).json as { token: string }
  const sms = await eventually(() => sent[0] ?? assert.fail('no SMS yet'))
  assert.deepEqual(Object.keys(sms).sort(), ['authorization', 'text', 'to'])
  assert.equal(sms.to, '+46701')
  assert.equal(sms.authorization, basic('me', 'secret').authorization)
  const challenge = /\d{6}/.exec(sms.text)?.[0]
  const { status } = await platform.world.request('PUT /api/v2/auth', {
    as: { token },
    body: { challenge }
  })
  assert.equal(status, 200)
})

test(
  'a provider that is down, hangs or refuses never delays a sign-in, and no secret is logged',
  slow,
  async (t) => {
    const hanging = createTcpServer(() => {}).listen(0, '127.0.0.1')
    const refusing = createServer((_request, response) => {
      response.statusCode = 500
      response.end('123456')
    }).listen(0, '127.0.0.1')
    await Promise.all([once(hanging, 'listening'), once(refusing, 'listening')])
    t.after(() => {
      hanging.close()
      refusing.close()
    })
    for (const [mail, sms] of [
      [`smtp://u:topsecret@127.0.0.1:1`, `http://u:topsecret@127.0.0.1:${portOf(refusing)}/`],
      [
        `smtp://u:topsecret@127.0.0.1:${portOf(hanging)}`,
        `http://u:topsecret@127.0.0.1:${portOf(hanging)}/`
      ]
    ] as const) {
      const platform = await startTestPlatform({
        settings: { CARACAL_MAIL_URL: mail, CARACAL_SMS_URL: sms }
      })
      const user = await platform.world.user({ sms_login: true, mobile: '+46 70 2' })
      const began = Date.now()
      const login = await signIn(platform, user)
      assert.equal((login.json as { nextstep: string }).nextstep, 'smslogin')
      assert.equal((await ask(platform, user.email)).status, 200)
      assert(Date.now() - began < 5000)
      if (sms.includes(String(portOf(refusing)))) {
        await eventually(() => {
          const lines = platform.logged.map(({ msg }) => msg)
          assert(lines.includes('the sign-in code could not be sent'))
          assert(lines.includes('the key for a new password could not be sent'))
        })
      }
      const log = JSON.stringify(platform.logged)
      assert(!/topsecret|123456/.test(log), log)
      await platform.stop()
    }
  }
)
