import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { client5, publish5, settled, subscribe5 } from '../support/mqtt5.ts'
import { freePort } from '../support/port.ts'
import { createInstallation, startCaracal, temporaryDirectory } from '../support/process.ts'

const EXPIRY = 100
const DELAY_SECONDS = 3

test('[MQTT-3.1.2-23] [MQTT-4.4.0-1] [MQTT-3.1.2-8] sessions, messages and wills of MQTT 5 are the same after kill -9', async (t) => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const port = await freePort()
  const start = () =>
    startCaracal({
      ...{ CARACAL_DATA_DIR, CARACAL_MQTT_PORT: String(port) },
      ...{ CARACAL_ADMIN_EMAIL: 'boss@example.org' },
      CARACAL_ADMIN_PASSWORD: 'correct horse battery'
    })
  let caracal = await start()
  const { token, client_id: cid } = await createInstallation(caracal, 'Five')
  const open = (clientId: string, asked: Parameters<typeof client5>[2] = {}) =>
    client5(t, port, {
      ...{ username: 'device', password: Buffer.from(token), clientId, clean: false },
      properties: { sessionExpiryInterval: 1000 },
      ...asked
    })
  const will = (name: string, willDelayInterval: number) => ({
    will: {
      ...{ topic: `${cid}/will/${name}`, payload: Buffer.from(name), qos: 1 as const },
      ...{ retain: false, properties: { willDelayInterval, contentType: 'text/plain' } }
    }
  })
  const lose = async (client: Awaited<ReturnType<typeof open>>) => {
    await client.next('connack')
    client.socket.destroy()
  }

  // A session that sleeps, one that is gone soon, and one that watches wills.
  const sleeper = await open('sleeper')
  sleeper.send(subscribe5(1, `${cid}/t/#`, { qos: 2, rap: true, subscriptionIdentifier: 7 }))
  sleeper.send(subscribe5(2, `${cid}/t/+`, { qos: 1, nl: true, subscriptionIdentifier: 300 }))
  sleeper.send(subscribe5(3, `$share/g/${cid}/shared`, { qos: 1, subscriptionIdentifier: 9 }))
  await sleeper.next('suback', 3)
  await lose(sleeper)
  await lose(await open('short', { properties: { sessionExpiryInterval: 1 } }))
  const watcher = await open('watcher')
  watcher.send(subscribe5(1, `${cid}/will/#`, { qos: 1 }))
  await watcher.next('suback')

  // QoS 2 in both directions, each in the middle of its exchange.
  const receiver = await open('receiver')
  receiver.send(subscribe5(1, `${cid}/two`, { qos: 2 }))
  await receiver.next('suback')
  const sender = await open('sender')
  sender.send(publish5(`${cid}/two`, 'released', { qos: 2, id: 1 }))
  await sender.next('pubrec')
  const released = (await receiver.next('publish')).messageId ?? 0
  receiver.send({ cmd: 'pubrec', messageId: released, reasonCode: 0 })
  await receiver.next('pubrel')
  sender.send(publish5(`${cid}/two`, 'sent', { qos: 2, id: 2 }))
  await sender.next('pubrec', 2)
  const sent = (await receiver.next('publish', 2)).messageId ?? 0

  const properties = {
    ...{ contentType: 'text/plain', responseTopic: `${cid}/answer`, payloadFormatIndicator: true },
    ...{ correlationData: Buffer.from([0, 1]), userProperties: { b: ['1', '2'], a: '3' } }
  }
  const expiring = { ...properties, messageExpiryInterval: EXPIRY }
  const sentAt = Date.now()
  sender.send(publish5(`${cid}/t/x`, 'x', { qos: 2, id: 3, retain: true, properties: expiring }))
  sender.send(
    publish5(`${cid}/t/x`, 'over', { qos: 1, id: 4, properties: { messageExpiryInterval: 1 } })
  )
  sender.send(publish5(`${cid}/shared`, 'shared', { qos: 1, id: 5, properties }))
  await sender.next('puback', 2)

  const lostAt = Date.now()
  await lose(await open('soon', will('soon', DELAY_SECONDS)))
  await lose(await open('back', will('back', DELAY_SECONDS)))
  await lose(await open('late', will('late', 600)))
  await (await open('connected', will('connected', 1))).next('connack')
  await wait(200)
  await caracal.kill('SIGKILL')
  await wait(DELAY_SECONDS * 1000)
  caracal = await start()

  // A will that was due is sent at the start, one of a connection that was open after its delay.
  const watching = await open('watcher')
  assert.equal((await watching.next('connack')).sessionPresent, true)
  await eventually(() => {
    const wills = watching.all('publish').map(({ payload }) => String(payload))
    assert.deepEqual(wills.sort(), ['back', 'connected', 'soon'])
  })
  assert.ok(Date.now() - lostAt >= DELAY_SECONDS * 1000)
  assert.equal(watching.all('publish')[0]?.properties?.contentType, 'text/plain')
  await (await open('late')).next('connack')

  const short = await open('short')
  assert.equal((await short.next('connack')).sessionPresent, false)
  const awake = await open('sleeper')
  assert.equal((await awake.next('connack')).sessionPresent, true)
  await awake.next('publish', 2)
  await settled(awake)
  const elapsed = (Date.now() - sentAt) / 1000
  const [queued, shared] = awake.all('publish')
  assert.ok(queued && shared)
  assert.deepEqual([String(queued.payload), queued.retain, queued.qos], ['x', true, 2])
  const { messageExpiryInterval = 0, subscriptionIdentifier, ...passed } = queued.properties ?? {}
  assert.deepEqual([subscriptionIdentifier].flat().sort(), [300, 7])
  assert.deepEqual({ ...passed, userProperties: { ...passed.userProperties } }, properties)
  assert.ok(messageExpiryInterval <= EXPIRY - DELAY_SECONDS)
  assert.ok(messageExpiryInterval >= EXPIRY - elapsed - 1)
  assert.deepEqual(
    [String(shared.payload), shared.properties?.subscriptionIdentifier],
    ['shared', 9]
  )
  assert.equal(awake.all('publish').length, 2, 'the message that is over does not come')

  // The options of the filters are still there: no local, and retain as published.
  awake.send(publish5(`${cid}/t/own`, 'own', { qos: 1, id: 1, retain: true }))
  const own = await awake.next('publish', 3)
  assert.deepEqual([own.retain, own.properties?.subscriptionIdentifier], [true, 7])

  const late = await open('new', { clean: true })
  late.send(subscribe5(1, `${cid}/t/x`, { qos: 0 }))
  const retained = await late.next('publish')
  assert.equal(retained.properties?.contentType, 'text/plain')
  assert.ok((retained.properties?.messageExpiryInterval ?? 0) <= EXPIRY - DELAY_SECONDS)

  // QoS 2 goes on where it was.
  const receiving = await open('receiver')
  const { messageId, dup } = await receiving.next('publish')
  assert.deepEqual(
    [messageId, dup, (await receiving.next('pubrel')).messageId],
    [sent, true, released]
  )
  receiving.send({ cmd: 'pubcomp', messageId: released, reasonCode: 0 })
  receiving.send({ cmd: 'pubrec', messageId: sent, reasonCode: 0 })
  const sending = await open('sender')
  await sending.next('connack')
  sending.send({ ...publish5(`${cid}/two`, 'sent', { qos: 2, id: 2 }), dup: true } as never)
  await sending.next('pubrec')
  for (const id of [1, 2, 3]) sending.send({ cmd: 'pubrel', messageId: id, reasonCode: 0 })
  await sending.next('pubcomp', 3)
  assert.ok(sending.all('pubcomp').every(({ reasonCode }) => reasonCode === 0))
  await receiving.next('pubrel', 2)
  await settled(receiving)
  assert.equal(receiving.all('publish').length, 1, 'no second copy')

  // The client came back in time, so its will was never sent.
  await settled(watching)
  assert.equal(watching.all('publish').length, 3)
  assert.equal(await caracal.kill('SIGTERM'), 0)
})
