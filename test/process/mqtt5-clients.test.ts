import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { client5, publish5, subscribe5 } from '../support/mqtt5.ts'
import { freePort } from '../support/port.ts'

/** With CI=true nothing is skipped. */
const without = (command: string, args: string[]): string | false => {
  const { status, error } = spawnSync(command, args, { stdio: 'ignore' })
  const isThere = !error && (command !== PYTHON || status === 0)
  return isThere || process.env['CI'] === 'true' ? false : `${args.join(' ') || command} is missing`
}
const PYTHON = '/usr/bin/python3'

/** Everything that a program prints, as lines. */
function run(t: TestContext, command: string, args: string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = once(child, 'close').then(([code]) => assert.equal(code, 0, out + err))
  return { child: child as ChildProcess, lines: () => out.split('\n').filter(Boolean), ended }
}

describe('mosquitto_pub and mosquitto_sub', { skip: without('mosquitto_pub', ['--help']) }, () => {
  test('properties, a will with a delay, and reasons', async (t) => {
    const { port, grants } = await startBus(t)
    const five = ['-V', 'mqttv5', '-h', '127.0.0.1', '-p', String(port), '-u', 'anna', '-P', 'x']
    const session = ['-i', 'sub', '-c', '-x', '100']
    const identifier = ['-D', 'subscribe', 'subscription-identifier', '7']
    const format = ['-F', '%t %p %C %R %D %E %q']
    const filters = ['-t', '1/#', '-q', '2', ...session, ...identifier, ...format]
    const sub = run(t, 'mosquitto_sub', [...five, ...filters])
    sub.ended.catch(() => {})
    const bystander = await client5(t, port)
    bystander.send(subscribe5(1, '1/#', { qos: 2 }))
    await bystander.next('suback')
    const publish = (...more: string[]) => run(t, 'mosquitto_pub', [...five, ...more])
    const properties = [
      ...['-D', 'publish', 'content-type', 'text/plain', '-D', 'publish', 'response-topic', '1/r'],
      ...['-D', 'publish', 'correlation-data', 'abc', '-D', 'publish', 'user-property', 'a', '1'],
      ...['-D', 'publish', 'user-property', 'a', '2'],
      ...['-D', 'publish', 'message-expiry-interval', '100']
    ]
    await eventually(async () => {
      await publish('-t', '1/t', '-m', 'x', '-q', '2', ...properties).ended
      assert.ok(sub.lines().length > 0)
    })
    assert.match(sub.lines()[0] ?? '', /^1\/t x text\/plain 1\/r abc (99|100) 2$/)
    const { properties: told } = await bystander.next('publish')
    assert.deepEqual({ ...told?.userProperties }, { a: ['1', '2'] })

    const will = ['--will-topic', '1/will', '--will-payload', 'gone', '--will-qos', '1']
    const delayed = ['-D', 'will', 'will-delay-interval', '1', '-x', '100', '-i', 'dying']
    const dying = run(t, 'mosquitto_sub', [...five, '-t', '2/#', ...will, ...delayed])
    dying.ended.catch(() => {})
    await eventually(async () => {
      const probe = run(t, 'mosquitto_pub', [...five, '-t', '2/t', '-m', 'up'])
      await probe.ended
      assert.ok(dying.lines().includes('up'))
    })
    dying.child.kill('SIGKILL')
    await eventually(() => assert.ok(sub.lines().some((line) => line.startsWith('1/will gone'))))

    grants.set('anna', { publish: '1/#', subscribe: '1/#', receive: '#' })
    const told87 = run(t, 'mosquitto_pub', [...five, '-t', '2/t', '-m', 'x', '-q', '1', '-d'])
    await told87.ended.catch(() => {})
    assert.ok(
      told87.lines().some((line) => /PUBACK.*RC:135/.test(line)),
      told87.lines().join()
    )
  })
})

const script = `
import sys, json, paho.mqtt.client as mqtt
from paho.mqtt.properties import Properties
from paho.mqtt.packettypes import PacketTypes
port = int(sys.argv[1])
client = mqtt.Client(client_id='paho', protocol=mqtt.MQTTv5)
client.username_pw_set('anna', 'x')
def say(**what): print(json.dumps(what), flush=True)
def on_connect(client, userdata, flags, reason, properties):
    say(what='connack', reason=reason.value, session=flags['session present'], aliases=properties.TopicAliasMaximum)
    filter = Properties(PacketTypes.SUBSCRIBE); filter.SubscriptionIdentifier = 9
    client.subscribe('1/#', options=mqtt.SubscribeOptions(qos=2, noLocal=False, retainAsPublished=True), properties=filter)
def on_subscribe(client, userdata, mid, reasons, properties):
    say(what='suback', reasons=[r.value for r in reasons])
    sent = Properties(PacketTypes.PUBLISH)
    sent.ContentType = 'text/plain'; sent.ResponseTopic = '1/r'; sent.CorrelationData = b'abc'
    sent.UserProperty = [('b', '1'), ('a', '2'), ('b', '3')]; sent.MessageExpiryInterval = 100; sent.PayloadFormatIndicator = 1
    for qos in (0, 1, 2): client.publish('1/t', 'at %d' % qos, qos, properties=sent)
count = 0
def on_message(client, userdata, message):
    global count
    p = message.properties
    say(what='message', payload=message.payload.decode(), qos=message.qos, type=p.ContentType, user=p.UserProperty,
        response=p.ResponseTopic, correlation=p.CorrelationData.decode(), ids=p.SubscriptionIdentifier, left=p.MessageExpiryInterval)
    count += 1
    if count == 3: client.disconnect()
client.on_connect, client.on_subscribe, client.on_message = on_connect, on_subscribe, on_message
asked = Properties(PacketTypes.CONNECT); asked.SessionExpiryInterval = 100; asked.ReceiveMaximum = 10
client.connect('127.0.0.1', port, clean_start=mqtt.MQTT_CLEAN_START_FIRST_ONLY, properties=asked)
client.loop_forever()
`

describe('paho-mqtt of Python', { skip: without(PYTHON, ['-c', 'import paho.mqtt']) }, () => {
  test('a session with properties, identifiers and all QoS', async (t) => {
    const { port } = await startBus(t)
    const { lines, ended } = run(t, PYTHON, ['-c', script, String(port)])
    await ended
    const said = lines().map((line) => JSON.parse(line) as { what: string; qos: number })
    const [connack, suback, ...messages] = said
    assert.deepEqual(connack, { what: 'connack', reason: 0, session: 0, aliases: 32 })
    assert.deepEqual(suback, { what: 'suback', reasons: [2] })
    const user = ['b=1', 'a=2', 'b=3'].map((pair) => pair.split('='))
    assert.deepEqual(
      messages.sort((a, b) => a.qos - b.qos),
      [0, 1, 2].map((qos) => ({
        ...{ what: 'message', payload: `at ${qos}`, qos, type: 'text/plain', user },
        ...{ response: '1/r', correlation: 'abc', ids: [9], left: 100 }
      }))
    )
  })
})

test('mqtt.js keeps a session with topic aliases, and gets the reasons of refusals', async (t) => {
  const { bus, port, grants } = await startBus(t)
  const options = {
    ...{ protocolVersion: 5 as const, clientId: 'js', clean: false, username: 'anna' },
    ...{ autoUseTopicAlias: true, autoAssignTopicAlias: true },
    properties: { sessionExpiryInterval: 100, topicAliasMaximum: 10, receiveMaximum: 5 }
  }
  const client = await mqttClient(t, port, options)
  await client.subscribe('1/#', 2)
  for (let i = 0; i < 20; i++) await client.publish('1/t', String(i), { qos: 2 })
  await eventually(() => assert.equal(client.messages.length, 20))
  await client.mqtt.endAsync()
  await eventually(() => assert.equal(bus.counts.connections, 0))
  await bus.publish('1/t', 'queued', { qos: 1 })
  const back = await mqttClient(t, port, options)
  assert.equal(back.sessionPresent, true)
  await eventually(() => assert.deepEqual(back.payloads(), ['queued']))
  grants.set('anna', { publish: '1/#', subscribe: '1/#', receive: '#' })
  await bus.recheck()
  await assert.rejects(back.publish('2/t', 'x', { qos: 1 }), { code: 0x87 })
})

describe('a bridge of Mosquitto', { skip: without('mosquitto', ['-h']) }, () => {
  test('with MQTT 5 properties cross it in both directions', async (t) => {
    const { port } = await startBus(t)
    const edgePort = await freePort()
    const directory = mkdtempSync(join(tmpdir(), 'caracal-bridge-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'bridge.conf')
    const lines = [
      ...[`listener ${edgePort} 127.0.0.1`, 'allow_anonymous true', 'connection platform'],
      ...[`address 127.0.0.1:${port}`, 'remote_clientid edge-12', 'remote_username anna'],
      ...['remote_password x', 'cleansession false', 'restart_timeout 1'],
      ...['bridge_protocol_version mqttv50', 'topic # both 2 "" 12/']
    ]
    writeFileSync(file, `${lines.join('\n')}\n`)
    run(t, 'mosquitto', ['-c', file]).ended.catch(() => {})
    const properties = {
      ...{ contentType: 'text/plain', responseTopic: '12/r', correlationData: Buffer.from('abc') },
      userProperties: { a: ['1', '2'] }
    }
    const platform = await client5(t, port, { username: 'bert' })
    platform.send(subscribe5(1, '12/#', { qos: 2 }))
    await platform.next('suback')
    const edge = await eventually(async () => {
      const client = await client5(t, edgePort)
      assert.equal((await client.next('connack')).reasonCode, 0)
      return client
    })
    edge.send(subscribe5(1, '#', { qos: 2 }))
    await edge.next('suback')
    for (const [from, to, topic] of [
      [edge, platform, 'up'],
      [platform, edge, '12/down']
    ] as const) {
      let id = 10
      const arrived = await eventually(async () => {
        from.send(publish5(topic, 'x', { qos: 1, id: id++, properties }))
        await from.next('puback', id - 10)
        const name = topic === 'up' ? '12/up' : 'down'
        const sent = to.all('publish').find((message) => message.topic === name)
        assert.ok(sent)
        return sent
      })
      const told = arrived.properties
      assert.deepEqual(
        [told?.contentType, told?.responseTopic, String(told?.correlationData)],
        ['text/plain', '12/r', 'abc']
      )
      assert.deepEqual({ ...told?.userProperties }, { a: ['1', '2'] })
    }
  })
})
