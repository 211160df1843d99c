import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { connect } from 'mqtt'
import { makeCertificate, tlsSettings } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryDirectory } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

const get = (url: string) =>
  new Promise<{ status: number | undefined; name: string }>((resolve, reject) => {
    request(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const socket = response.socket as import('node:tls').TLSSocket
      const name = String(socket.getPeerCertificate().subject.CN)
      response.resume().once('end', () => resolve({ status: response.statusCode, name }))
    })
      .once('error', reject)
      .end()
  })

test('with a certificate HTTP, WebSocket and MQTT use TLS, and a new certificate is used without dropping connections', async () => {
  const certificates = temporaryDirectory()
  makeCertificate(certificates, 'first')
  const caracal = await startProgram({
    CARACAL_DATA_DIR: temporaryDirectory(),
    CARACAL_ADMIN_EMAIL: 'boss@example.org',
    CARACAL_ADMIN_PASSWORD: 'correct horse battery',
    ...tlsSettings(certificates)
  })
  assert.match(caracal.url, /^https:/)
  assert.deepEqual(await get(`${caracal.url}/api/v2/ping`), { status: 200, name: 'first' })
  const mqttsPort = Number(/mqtts:\/\/\S+:(\d+)/.exec(caracal.printed())?.[1])
  const login = {
    username: 'boss@example.org',
    password: 'correct horse battery',
    reconnectPeriod: 0,
    rejectUnauthorized: false
  }
  const urls = [`mqtts://127.0.0.1:${mqttsPort}`, `${caracal.url.replace('https', 'wss')}/mqtt`]
  for (const url of urls) {
    const newer = connect(url, { ...login, protocolVersion: 5 })
    const [error] = await once(newer as never, 'error')
    assert.equal(error.code, 0x84, url)
    newer.end(true)
  }
  assert.match(caracal.printed(), /"version":5,.*speaks MQTT 3\.1 and 3\.1\.1/)
  const clients = urls.map((url) => connect(url, login))
  for (const client of clients) await once(client as never, 'connect')

  makeCertificate(certificates, 'second')
  await eventually(async () => {
    assert.deepEqual(await get(`${caracal.url}/api/v2/ping`), { status: 200, name: 'second' })
    const socket = connectTls({ port: mqttsPort, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    assert.equal(socket.getPeerCertificate().subject.CN, 'second')
    socket.destroy()
  }, 10_000)
  for (const client of clients) {
    await client.publishAsync('1001/cmd/x', '1', { qos: 1 })
    client.end(true)
  }
  assert.equal(await caracal.stop(), 0)
})
