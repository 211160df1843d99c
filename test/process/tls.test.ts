import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { connect } from 'mqtt'
import { makeCertificate, tlsSettings } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { createInstallation, temporaryDirectory } from '../support/process.ts'
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

test('with a certificate HTTP, WebSocket and MQTT use TLS, and a new certificate is used without dropping connections', async (suite) => {
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
  // Only here: `fetch` has no option for a certificate of nobody.
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  const { client_id: cid } = await createInstallation(caracal, 'Five')
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  for (const [i, url] of urls.entries()) {
    const newer = await mqttClient(suite, url, { ...login, protocolVersion: 5 })
    await newer.mqtt.subscribeAsync(`${cid}/five`, {
      qos: 2,
      properties: { subscriptionIdentifier: 7 }
    })
    const told: unknown[] = []
    newer.mqtt.on('message', (_topic, payload, { properties }) => {
      told.push([String(payload), properties?.contentType, properties?.subscriptionIdentifier])
    })
    const properties = { contentType: 'text/plain', userProperties: { a: '1' } }
    await newer.mqtt.publishAsync(`${cid}/five`, `over ${i}`, { qos: 2, properties })
    await eventually(() => assert.deepEqual(told, [[`over ${i}`, 'text/plain', 7]]))
    await newer.mqtt.endAsync()
  }
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
    // There is no such installation, which only a client of MQTT 5 is told.
    const sent = client.publishAsync('1001/cmd/x', '1', { qos: 1 })
    await sent.catch(({ code }) => assert.equal(code, 0x87))
    client.end(true)
  }
  assert.equal(await caracal.stop(), 0)
})
