import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { Message } from '../../src/bus/bus.ts'
import { ExternalBus, type ExternalBusOptions } from '../../src/bus/external/external.ts'
import { openClaims } from '../../src/registry/open.ts'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { freePort } from '../support/port.ts'
import { temporaryDirectory } from '../support/process.ts'
import { onEveryRegistry } from '../support/registries.ts'

type After = { after(close: () => unknown): void }

/** It has its own claims, so it gets all eight slots. Its log lines are kept. */
async function openBus(
  t: After,
  port: number,
  options: Partial<ExternalBusOptions> & { credentials?: string } = {}
) {
  const logged: string[] = []
  const note = (_fields: object, text: string) => void logged.push(text)
  const { credentials = '', ...rest } = options
  const received: Message[] = []
  const bus = new ExternalBus({
    url: `mqtt://${credentials}127.0.0.1:${port}`,
    platformId: 'a1b2c3d4',
    slots: 8,
    claims: await openClaims('', true),
    onMessage: (message) => {
      received.push(message)
      return Promise.resolve()
    },
    sessionDays: 7,
    log: { info: note, warn: note, error: note } as unknown as ExternalBusOptions['log'],
    ...rest
  })
  t.after(() => bus.close())
  return { bus, received, logged, payloads: () => received.map(({ payload }) => String(payload)) }
}

/** Every slot is connected and subscribed. */
const ready = (bus: ExternalBus, slots = 8) =>
  eventually(() => assert.deepEqual([bus.counts.connections, bus.failure], [slots + 1, undefined]))

describe('an external broker', { skip: withoutMosquitto }, () => {
  test('a broker that does not wait for acknowledgements is not read', async (t) => {
    const { port } = await startMosquitto(t, undefined, ['max_qos 0'])
    const { bus } = await openBus(t, port)
    await bus.start()
    await eventually(() => assert.match(String(bus.failure), /grants QoS 0/))
    assert.equal(bus.isRead, false)
  })

  test('a message is acknowledged only after it is stored', async (t) => {
    const { port, stop, start } = await startMosquitto(t)
    const store: (() => void)[] = []
    const onMessage = () => new Promise<void>((resolve) => store.push(resolve))
    const { bus } = await openBus(t, port, { onMessage })
    await bus.start()
    await ready(bus)
    const device = await mqttClient(t, port)
    for (let i = 0; i < 20; i++) await device.publish('1/obj/a', `${i}`, { qos: 1 })
    await eventually(() => assert.equal(store.length, 20))
    for (const stored of store.splice(0, 10)) stored()
    await wait(50)
    // Only messages that were not acknowledged come again.
    await stop('SIGTERM')
    await start()
    await eventually(() => assert.equal(bus.counts.received, 30), 30_000)
    // They are still being stored, so they are not stored again.
    assert.equal(store.length, 10)
    for (const stored of store.splice(0)) stored()
    await wait(200)
    await stop('SIGTERM')
    await start()
    await eventually(() => assert.equal(bus.failure, undefined), 30_000)
    await ready(bus)
    await device.mqtt.endAsync(true)
    const later = await mqttClient(t, port)
    await later.publish('1/obj/a', 'last', { qos: 1 })
    await eventually(() => assert.equal(bus.counts.received, 31), 30_000)
    assert.equal(store.length, 1)
    for (const stored of store.splice(0)) stored()
  })

  test('what the broker does not take is refused before it is sent, and the connection stays', async (t) => {
    const settings = ['allow_anonymous true', 'retain_available false', 'max_packet_size 2000']
    const { port } = await startMosquitto(t, settings)
    const { bus, payloads, logged } = await openBus(t, port, { slots: 1 })
    await bus.start()
    await ready(bus, 1)
    const large = 'x'.repeat(3000)
    for (const qos of [0, 1, 2] as const) {
      await assert.rejects(bus.publish('1/obj/a', large, { qos }), /no packet above 2000 bytes/)
    }
    await assert.rejects(bus.publish('1/obj/a', 'x', { retain: true }), /no retained messages/)
    for (let i = 0; i < 3; i++) await bus.publish('1/obj/a', `fits ${i}`, { qos: 1 })
    await eventually(() => assert.deepEqual(payloads(), ['fits 0', 'fits 1', 'fits 2']))
    assert.deepEqual(logged, [])
  })

  test('a value that is published as stored reaches subscribers, and is not stored again', async (t) => {
    const { port } = await startMosquitto(t)
    const { bus, payloads } = await openBus(t, port, { slots: 1 })
    await bus.start()
    await ready(bus, 1)
    const device = await mqttClient(t, port, { protocolVersion: 5 })
    const heard: { payload: string; mark: unknown }[] = []
    device.mqtt.on('message', (_topic, payload, { properties }) => {
      heard.push({ payload: String(payload), mark: properties?.userProperties?.['caracal-stored'] })
    })
    await device.mqtt.subscribeAsync('1/obj/#', { qos: 1 })
    for (const qos of [0, 1] as const) await bus.publish('1/obj/a', 'own', { qos, isStored: true })
    await bus.publish('1/obj/a', 'plain', { qos: 1 })
    await eventually(() => assert.equal(heard.length, 3))
    await eventually(() => assert.deepEqual(payloads(), ['plain']))

    // Who hears a mark can repeat only that message. For another one it means nothing.
    const mark = String(heard[0]?.mark)
    assert.equal(heard[2]?.mark, undefined)
    const repeat = (topic: string, payload: string, text = mark) =>
      device.mqtt.publishAsync(topic, payload, {
        qos: 1,
        properties: { userProperties: { 'caracal-stored': text } }
      })
    await repeat('1/obj/a', 'own')
    await repeat('1/obj/a', 'other')
    await repeat('1/obj/b', 'own')
    await repeat('1/obj/a', 'true', 'true')
    await eventually(() => assert.deepEqual(payloads(), ['plain', 'other', 'own', 'true']))
  })

  test('many messages are stored at once, and at most the receive maximum is in memory', async (t) => {
    const { port } = await startMosquitto(t)
    let waiting: (() => void)[] = []
    const onMessage = () => new Promise<void>((resolve) => waiting.push(resolve))
    const { bus } = await openBus(t, port, { onMessage })
    await bus.start()
    await ready(bus)
    const device = await mqttClient(t, port)
    const sent = 9000
    await Promise.all(
      Array.from({ length: sent }, (_, i) => device.publish('1/obj/a', `${i}`, { qos: 1 }))
    )
    await eventually(() => assert.equal(waiting.length, 8000), 30_000)
    await wait(100)
    assert.equal(waiting.length, 8000)
    let stored = 0
    await eventually(() => {
      for (const done of waiting.splice(0)) {
        stored++
        done()
      }
      assert.equal(stored, sent)
    })
    waiting = []
  })

  test('every QoS is delivered, and a retained message is not stored again', async (t) => {
    const { port } = await startMosquitto(t)
    const device = await mqttClient(t, port)
    await device.publish('1/obj/old', 'retained before', { qos: 1, retain: true })
    const first = await openBus(t, port)
    await first.bus.start()
    await ready(first.bus)
    await device.publish('1/obj/a', 'zero')
    await device.publish('1/obj/a', 'one', { qos: 1 })
    await device.publish('1/obj/a', 'two', { qos: 2 })
    await device.publish('1/obj/a', 'kept', { qos: 1, retain: true })
    await device.publish('1/set/a', 'elsewhere', { qos: 1 })
    const want = ['kept', 'one', 'two', 'zero']
    await eventually(() => assert.deepEqual(first.payloads().sort(), want))
    await first.bus.close()
    const second = await openBus(t, port)
    await second.bus.start()
    await ready(second.bus)
    await device.publish('1/obj/a', 'new', { qos: 1 })
    await eventually(() => assert.deepEqual(second.payloads(), ['new']))
  })

  test('messages that were sent while nobody read are read by the next reader', async (t) => {
    const { port, stop, start } = await startMosquitto(t)
    const first = await openBus(t, port)
    await first.bus.start()
    await ready(first.bus)
    await first.bus.close()
    const device = await mqttClient(t, port)
    for (let i = 0; i < 40; i++) await device.publish('1/obj/a', `${i}`, { qos: 1 })
    await stop('SIGTERM')
    await start()
    const second = await openBus(t, port)
    await second.bus.start()
    await eventually(() => assert.equal(new Set(second.payloads()).size, 40))
    assert.equal(second.received.length, 40)
  })

  test('with one slot nothing is lost that devices send after a restart of the broker, before Caracal is back', async (t) => {
    const { port, stop, start } = await startMosquitto(t)
    const first = await openBus(t, port, { slots: 1 })
    await first.bus.start()
    await ready(first.bus, 1)
    await first.bus.close()
    await stop('SIGTERM')
    await start()
    const device = await mqttClient(t, port)
    for (let i = 0; i < 40; i++) await device.publish('1/obj/a', `${i}`, { qos: 1 })
    const second = await openBus(t, port, { slots: 1 })
    await second.bus.start()
    await eventually(() => assert.equal(second.received.length, 40))
  })

  test('every message comes once after the number of slots has changed', async (t) => {
    const { port } = await startMosquitto(t)
    const device = await mqttClient(t, port)
    let sent = 0
    for (const slots of [1, 8, 1]) {
      const { bus, payloads } = await openBus(t, port, { slots })
      await bus.start()
      await ready(bus, slots)
      const begin = sent
      for (let i = 0; i < 40; i++) await device.publish('1/obj/a', `${sent++}`, { qos: 1 })
      await eventually(() => assert.equal(new Set(payloads()).size, 40))
      assert.deepEqual(
        payloads()
          .map(Number)
          .sort((a, b) => a - b),
        Array.from({ length: 40 }, (_, i) => begin + i)
      )
      await bus.close()
    }
  })

  test('with fewer slots than before nothing is left in the extra sessions', async (t) => {
    const { port } = await startMosquitto(t)
    const many = await openBus(t, port)
    await many.bus.start()
    await ready(many.bus)
    await many.bus.close()
    const device = await mqttClient(t, port)
    let sent = 0
    const send = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => device.publish('1/obj/a', `${sent++}`, { qos: 1 }))
      )
    // More messages in each session than may be in flight at once.
    await send(12_000)
    const one = await openBus(t, port, { slots: 1 })
    await one.bus.start()
    await ready(one.bus, 1)
    await send(100)
    await eventually(() => assert.equal(new Set(one.payloads()).size, sent), 30_000)
    one.received.length = 0
    for (let i = 0; i < 500; i++) void send(1)
    await eventually(() => assert.equal(one.received.length, 500))
    const numbers = one.payloads().map(Number)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b)
    )
    for (const slot of [1, 2, 3, 4, 5, 6, 7]) {
      const clientId = `caracal-a1b2c3d4-slot-${slot}`
      const { sessionPresent } = await mqttClient(t, port, { clientId, clean: false })
      assert.equal(sessionPresent, false)
    }
    assert.equal(one.logged.length, 0)
  })

  test('two platforms on one broker each get all their messages', async (t) => {
    const { port } = await startMosquitto(t)
    const [one, two] = [await openBus(t, port), await openBus(t, port, { platformId: 'ffffffff' })]
    for (const { bus } of [one, two]) {
      await bus.start()
      await ready(bus)
    }
    const device = await mqttClient(t, port)
    for (let i = 0; i < 16; i++) await device.publish('1/obj/a', `${i}`, { qos: 1 })
    await eventually(() => {
      assert.deepEqual([one.received.length, two.received.length], [16, 16])
    })
  })

  test('a message that cannot be stored comes again, and health says why', async (t) => {
    const { port } = await startMosquitto(t)
    let tries = 0
    const onMessage = () =>
      ++tries < 3 ? Promise.reject(new Error('the disk is broken')) : Promise.resolve()
    const { bus, logged } = await openBus(t, port, { onMessage })
    await bus.start()
    await ready(bus)
    const device = await mqttClient(t, port)
    await device.publish('1/obj/a', '1', { qos: 1 })
    await eventually(() => assert.equal(bus.failure?.message, 'the disk is broken'))
    await eventually(() => assert.equal(tries, 3))
    await ready(bus)
    assert.deepEqual(
      [logged.at(0), logged.at(-1)],
      ['the MQTT broker cannot be reached; messages wait there', 'the MQTT broker is back']
    )
  })

  test('publish resolves when the broker has the message, waits a moment if the broker is away, then rejects', async (t) => {
    const { port, stop, start } = await startMosquitto(t)
    const { bus } = await openBus(t, port)
    await bus.start()
    const listener = await mqttClient(t, port)
    await listener.subscribe('#', 2)
    for (const qos of [0, 1, 2] as const) await bus.publish('1/set/a', `QoS ${qos}`, { qos })
    await eventually(() => assert.deepEqual(listener.payloads(), ['QoS 0', 'QoS 1', 'QoS 2']))
    // More messages than the broker allows in flight at once.
    await Promise.all(Array.from({ length: 3000 }, () => bus.publish('1/set/b', '', { qos: 1 })))
    await eventually(() => assert.equal(listener.messages.length, 3003))
    await bus.publish('1/set/c', 'kept', { qos: 1, retain: true })
    await assert.rejects(bus.publish('1/#', ''), /not a topic/)

    await stop('SIGTERM')
    await eventually(() => assert.ok(bus.failure))
    await assert.rejects(bus.publish('1/set/a', 'lost', { qos: 1 }))
    await wait(1000)
    const asked = performance.now()
    await assert.rejects(bus.publish('1/set/a', 'lost', { qos: 1 }))
    assert.ok(performance.now() - asked < 500)
    await start()
    await ready(bus)
    await bus.publish('1/set/a', 'again', { qos: 1 })
    const later = await mqttClient(t, port)
    await later.subscribe('1/set/#')
    await eventually(() => assert.deepEqual(later.payloads(), ['kept']))
    assert.equal(bus.counts.published, 3005)
  })

  test('a topic that makes a broker hang up is not sent to it', async (t) => {
    const { port } = await startMosquitto(t)
    const { bus } = await openBus(t, port)
    await bus.start()
    for (const topic of ['1/set/a\nb', '1/set/a\u0085b', '1/set/a\uffffb', 'a/'.repeat(300)]) {
      await assert.rejects(bus.publish(topic, '', { qos: 1 }), /not a topic to publish to/)
    }
    assert.equal(bus.failure, undefined)
    await bus.publish('1/set/a', '', { qos: 1 })
  })

  test('a filter that makes a broker hang up is not sent to it', async (t) => {
    const { port } = await startMosquitto(t)
    const { bus, payloads } = await openBus(t, port, { slots: 1 })
    await bus.start()
    await ready(bus, 1)
    bus.readAlso(['a\nb', 'a\u0085b', 'a\uffffb', 'a'.repeat(2000), '#', '', 'dev'])
    const device = await mqttClient(t, port)
    await eventually(async () => {
      await device.publish('1/dev/x', 'mapped', { qos: 1 })
      assert(payloads().includes('mapped'))
    })
    await device.publish('1/obj/x', 'a value', { qos: 1 })
    await eventually(() => assert(payloads().includes('a value')))
    assert.equal(bus.failure, undefined)
  })

  test('listen brings messages to every node, and tells when it is connected again', async (t) => {
    const { port, stop, start } = await startMosquitto(t)
    const nodes = [await openBus(t, port), await openBus(t, port, { platformId: 'b' })]
    const heard: string[][] = [[], []]
    const readies = [0, 0]
    for (const [i, { bus }] of nodes.entries()) {
      const hear = (topic: string, payload: Buffer) => void heard[i]?.push(`${topic} ${payload}`)
      bus.listen('caracal/news/#', hear, () => {
        readies[i] = (readies[i] ?? 0) + 1
      })
      await bus.start()
    }
    await nodes[0]?.bus.publish('caracal/news/1', 'a')
    await nodes[1]?.bus.publish('caracal/news/2', 'b', { qos: 1 })
    await nodes[1]?.bus.publish('caracal/other', 'c', { qos: 1 })
    await eventually(() => assert.deepEqual(heard, [['caracal/news/2 b'], ['caracal/news/1 a']]))
    assert.deepEqual(readies, [1, 1])
    await stop('SIGKILL')
    await start()
    await eventually(() => assert.deepEqual(readies, [2, 2]))
    await nodes[0]?.bus.publish('caracal/news/1', 'd', { qos: 1 })
    await eventually(() => assert.equal(heard[1]?.at(-1), 'caracal/news/1 d'))
    // A listener that begins later gets messages too.
    nodes[0]?.bus.listen('caracal/late', (_topic, payload) => heard[0]?.push(String(payload)))
    await eventually(async () => {
      await nodes[1]?.bus.publish('caracal/late', 'late', { qos: 1 })
      assert.equal(heard[0]?.at(-1), 'late')
    })
  })

  test('a listener can publish as soon as it is connected again, however long the broker was away', async (t) => {
    const { port, stop, start } = await startMosquitto(t)
    const { bus } = await openBus(t, port)
    const outcomes: string[] = []
    const hello = () =>
      bus.publish('caracal/hello', '', { qos: 1 }).then(
        () => outcomes.push('told'),
        (error) => outcomes.push(String(error))
      )
    bus.listen('caracal/news', () => {}, hello)
    await bus.start()
    await eventually(() => assert.deepEqual(outcomes, ['told']))
    await stop('SIGTERM')
    await wait(1500)
    await start()
    await eventually(() => assert.deepEqual(outcomes, ['told', 'told']))
    bus.listen('caracal/more', () => {}, hello)
    await eventually(() => assert.deepEqual(outcomes, ['told', 'told', 'told']))
  })

  test('reading continues after a broker is killed under load', async (t) => {
    const { port, stop, start } = await startMosquitto(t)
    const { bus, received } = await openBus(t, port)
    await bus.start()
    await ready(bus)
    for (const round of [1, 2, 3]) {
      const device = await mqttClient(t, port)
      for (let i = 0; i < 500; i++)
        void device.publish('1/obj/a', `${i}`, { qos: 1 }).catch(() => {})
      await eventually(() => assert.ok(received.length > 100))
      await stop('SIGKILL')
      await eventually(() => assert.ok(bus.failure))
      await start()
      await ready(bus)
      received.length = 0
      const after = await mqttClient(t, port)
      for (let i = 0; i < 50; i++) await after.publish(`${round}/obj/b`, `${i}`, { qos: 1 })
      await eventually(() => {
        const fresh = received.filter(({ topic }) => topic === `${round}/obj/b`)
        assert.equal(new Set(fresh.map(({ payload }) => String(payload))).size, 50)
      })
      received.length = 0
    }
  })

  test('an error with the account of the platform is reported without the password', async (t) => {
    const { port } = await startMosquitto(t, ['allow_anonymous false'])
    const { bus } = await openBus(t, port, { credentials: 'anna:secret@' })
    await assert.rejects(bus.start(500), (error: Error) => {
      assert.match(error.message, /refused: (not authorized|bad user name)/)
      return !error.message.includes('secret')
    })
    const nobody = await openBus(t, await freePort())
    await assert.rejects(nobody.bus.start(500), /ECONNREFUSED/)
    assert.ok(nobody.bus.failure)
    await assert.rejects(nobody.bus.publish('1/set/a', ''), /ECONNREFUSED/)
  })
})

test('over TLS the host name is sent to the broker, if it is a name', async (t) => {
  const file = (name: string) => join(directory, name)
  const directory = temporaryDirectory()
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', file('key.pem')]
  execFileSync('openssl', ['req', '-x509', ...key, '-out', file('cert.pem'), ...subject], {
    stdio: 'ignore'
  })
  const [cert, privateKey] = ['cert.pem', 'key.pem'].map((name) => readFileSync(file(name), 'utf8'))
  const names: (string | false | null)[] = []
  const server = createTlsServer({ cert, key: privateKey }, (socket) => {
    names.push((socket as TLSSocket & { servername: string | false | null }).servername)
    socket.on('error', () => {})
    socket.destroy()
  })
  server.listen(0)
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  for (const [host, name] of [
    ['localhost', 'localhost'],
    ['127.0.0.1', false]
  ] as const) {
    names.length = 0
    const { bus } = await openBus(t, port, { url: `mqtts://${host}:${port}`, ca: cert })
    await assert.rejects(bus.start(300), /ended the connection|ECONNRESET/)
    await bus.close()
    assert.deepEqual(new Set(names), new Set([name]), host)
  }
})

test('the reason of a refusal is told, with what the broker says about it', async (t) => {
  const broker = await startBus(t)
  broker.grants.set('anna', { publish: '1/#', subscribe: '#', receive: '#' })
  const wrong = await openBus(t, broker.port, { credentials: 'anna:wrong@' })
  await assert.rejects(wrong.bus.start(1000), {
    message: 'the broker refused: bad user name or password (wrong user name or password)'
  })
  const { bus } = await openBus(t, broker.port, { credentials: 'anna:x@', slots: 1 })
  await bus.start()
  await assert.rejects(bus.publish('2/t', 'x', { qos: 1 }), {
    message: 'the broker refused: not authorized (forbidden topic)'
  })
})

test('a broker that keeps sessions for a shorter time is told of once', async (t) => {
  const broker = await startBus(t, { limits: { sessionExpiry: 1000 } })
  const { bus, logged } = await openBus(t, broker.port, { credentials: 'anna:x@', slots: 2 })
  await bus.start()
  await ready(bus, 2)
  assert.deepEqual(logged, [
    'the MQTT broker keeps messages that nobody reads for a shorter time than CARACAL_MQTT_SESSION_DAYS'
  ])
})

test('a broker that does not speak MQTT 5 is refused', async (t) => {
  for (const connack of ['20020001', '2003008400']) {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(Buffer.from(connack, 'hex')))
    })
    t.after(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { bus } = await openBus(t, (server.address() as AddressInfo).port)
    await assert.rejects(bus.start(1000), /it does not speak MQTT 5/)
  }
})

onEveryRegistry('slots of nodes', ({ name, url }) => {
  if (name === 'SQLite') return

  test('nodes share the sessions, and take over those of a node that has ended', {
    skip: withoutMosquitto
  }, async (t) => {
    const { port } = await startMosquitto(t)
    const at = await url()
    const node = async () => {
      const claims = await openClaims(at, false)
      t.after(() => claims.close())
      const opened = await openBus(t, port, { claims })
      await opened.bus.start()
      return { ...opened, claims }
    }
    const slots = (nodes: { bus: ExternalBus }[]) => nodes.map(({ bus }) => bus.counts.slots)
    const one = await node()
    await ready(one.bus)
    const two = await node()
    await eventually(() => assert.deepEqual(slots([one, two]), [4, 4]), 30_000)
    await ready(one.bus, 4)
    await ready(two.bus, 4)
    const three = await node()
    await eventually(() => assert.deepEqual(slots([one, two, three]).sort(), [2, 3, 3]), 30_000)

    const device = await mqttClient(t, port)
    let sent = 0
    const send = async (count: number) => {
      for (; count > 0; count--) await device.publish('1/obj/a', `${sent++}`, { qos: 1 })
    }
    const allRead = () => {
      const all = [one, two, three].flatMap(({ payloads }) => payloads())
      assert.deepEqual([new Set(all).size, all.length], [sent, sent])
    }
    await send(80)
    await eventually(allRead)
    // One node loses its claims, as without its registry; another node ends.
    await two.claims.close()
    await three.bus.close()
    await three.claims.close()
    await send(80)
    await eventually(() => assert.deepEqual(slots([one, two, three]), [8, 0, 0]), 30_000)
    await ready(one.bus)
    await send(80)
    await eventually(allRead)
  })

  test('with one slot, a node that ends leaves all messages to the other, in order', {
    skip: withoutMosquitto
  }, async (t) => {
    const { port } = await startMosquitto(t)
    const at = await url()
    const numbers: number[] = []
    const node = async () => {
      const claims = await openClaims(at, false)
      t.after(() => claims.close())
      const onMessage = async ({ payload }: Message) => {
        await wait(1)
        numbers.push(Number(payload))
      }
      const { bus } = await openBus(t, port, { claims, slots: 1, onMessage })
      await bus.start()
      return { bus, claims }
    }
    const one = await node()
    const two = await node()
    await ready(one.bus, 1)
    await ready(two.bus, 0)
    assert.equal(two.bus.isRead, false)
    await eventually(() => assert.equal(two.bus.isRead, true))
    const device = await mqttClient(t, port)
    const sending = Array.from({ length: 2000 }, (_, i) =>
      device.publish('1/obj/a', `${i}`, { qos: 1 })
    )
    await eventually(() => assert.ok(numbers.length > 0))
    await one.bus.close()
    await one.claims.close()
    await Promise.all(sending)
    await eventually(() => assert.equal(numbers.length, 2000), 30_000)
    assert.deepEqual(
      numbers,
      Array.from({ length: 2000 }, (_, i) => i)
    )
    assert.equal(two.bus.counts.slots, 1)
  })
})
