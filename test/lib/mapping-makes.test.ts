import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CompiledMapping,
  compileMapping,
  type MakeName
} from '../../src/lib/mapping/mapping.ts'
import { MappedMessage } from '../../src/lib/mapping/message.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

const arrival = unixMs(Date.parse('2026-05-01T12:00:00Z'))

function made(make: MakeName, filter = ''): CompiledMapping {
  const mapping = compileMapping({ make, filter, values: [] })
  if ('what' in mapping) throw new Error(mapping.what)
  return mapping
}

const readBy = (mapping: CompiledMapping, topic: string, payload: unknown) => {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const message = new MappedMessage(topic, Buffer.from(text), { arrival, zone: 'Europe/Stockholm' })
  return mapping.read(message)
}

/** `want`: `topic value unit`, with `!` at the end if it can be written. */
function reads(make: MakeName) {
  const mapping = made(make)
  return (topic: string, payload: unknown, want: string[] | undefined, at = arrival as number) => {
    const outcome = readBy(mapping, topic, payload)
    assert.deepEqual(outcome?.refused ?? [], [], topic)
    const got = outcome?.values.map(({ topic, value, unit, isWritable, timestamp }) => {
      assert.equal(new Date(timestamp).toISOString(), new Date(at).toISOString(), topic)
      return `${topic} ${value} ${unit}${isWritable ? '!' : ''}`.trim()
    })
    assert.deepEqual(got, want, topic)
  }
}

function refuses(make: MakeName) {
  const mapping = made(make)
  return (topic: string, payload: unknown, reason: string) =>
    assert.equal(readBy(mapping, topic, payload)?.refused[0]?.reason, reason, topic)
}

function commands(make: MakeName, filter = '') {
  const mapping = made(make, filter)
  return (topic: string, value: number, want: [topic: string, payload: string] | undefined) => {
    const command = mapping.command(topic.split('/'), value)
    assert.deepEqual(command && [command.topic, command.payload], want, topic)
  }
}

test('tasmota', () => {
  const f = reads('tasmota')
  const state = {
    ...{ Time: '2026-05-01T13:30:00', Uptime: '0T00:15:09', UptimeSec: 909, Heap: 27, Sleep: 50 },
    ...{ LoadAvg: 19, MqttCount: 1, POWER: 'ON' },
    Wifi: { AP: 1, SSId: 'home', BSSId: 'F4:92:BF:7F:35:4B', Channel: 11, RSSI: 100, Signal: -49 }
  }
  const at = Date.parse('2026-05-01T11:30:00Z')

  f(
    'dev/tele/plug/STATE',
    state,
    [
      'obj/dev/tasmota/plug/UptimeSec 909 s',
      'obj/dev/tasmota/plug/LoadAvg 19',
      'obj/dev/tasmota/plug/POWER 1 !',
      'obj/dev/tasmota/plug/Wifi/RSSI 100 %',
      'obj/dev/tasmota/plug/Wifi/Signal -49 dBm'
    ],
    at
  )
  const ENERGY = {
    ...{ TotalStartTime: '2018-11-14T18:54:38', Total: 0.152, Yesterday: 0.1, Today: 0.05 },
    ...{ Power: 25, ApparentPower: 30, ReactivePower: 5, Factor: 0.83, Voltage: 230, Current: 0.13 }
  }
  f(
    'dev/tele/plug/SENSOR',
    { Time: '2026-05-01T13:30:00', ENERGY },
    [
      'obj/dev/tasmota/plug/ENERGY/Total 0.152 kWh',
      'obj/dev/tasmota/plug/ENERGY/Yesterday 0.1 kWh',
      'obj/dev/tasmota/plug/ENERGY/Today 0.05 kWh',
      'obj/dev/tasmota/plug/ENERGY/Power 25 W',
      'obj/dev/tasmota/plug/ENERGY/ApparentPower 30 VA',
      'obj/dev/tasmota/plug/ENERGY/ReactivePower 5 var',
      'obj/dev/tasmota/plug/ENERGY/Factor 0.83',
      'obj/dev/tasmota/plug/ENERGY/Voltage 230 V',
      'obj/dev/tasmota/plug/ENERGY/Current 0.13 A'
    ],
    at
  )
  f(
    'dev/tele/th/SENSOR',
    { Time: '1970-01-01T00:00:07', AM2301: { Temperature: 72.1, Humidity: 44.3 }, TempUnit: 'F' },
    ['obj/dev/tasmota/th/AM2301/Temperature 72.1 °F', 'obj/dev/tasmota/th/AM2301/Humidity 44.3 %']
  )
  f('dev/tele/dual/SENSOR', { Switch1: 'ON', ENERGY: { Power: [1, 2] } }, [
    'obj/dev/tasmota/dual/Switch1 1',
    'obj/dev/tasmota/dual/ENERGY/Power/0 1 W',
    'obj/dev/tasmota/dual/ENERGY/Power/1 2 W'
  ])
  f('dev/stat/plug/RESULT', { POWER: 'OFF' }, ['obj/dev/tasmota/plug/POWER 0 !'])
  f('dev/stat/plug/RESULT', { Command: 'Unknown' }, [])
  f('dev/stat/plug/POWER2', 'ON', ['obj/dev/tasmota/plug/POWER2 1 !'])
  f('dev/tele/plug/LWT', 'Online', ['obj/dev/tasmota/plug/LWT 1'])
  // Below any mount, and without one.
  f('a/b/c/tele/plug/LWT', 'Offline', ['obj/a/b/c/tasmota/plug/LWT 0'])
  f('stat/plug/POWER', 'ON', ['obj/tasmota/plug/POWER 1 !'])
  f('dev/stat/hall/plug/POWER', 'ON', ['obj/dev/tasmota/hall/plug/POWER 1 !'])
  f('dev/cmnd/plug/POWER', 'ON', undefined)
  f('dev/tele/plug/INFO1', { Module: 'x' }, undefined)
  f('dev/tele/STATE', state, undefined)
  const g = refuses('tasmota')
  g('dev/tele/plug/STATE', '{"POWER": ', 'not json')
  g('dev/tele/plug/SENSOR', '5', 'not json')
  g('dev/tele/plug/SENSOR', { Time: 'soon', A: 1 }, 'bad timestamp')
  g('dev/tele/plug/SENSOR', { Time: '2026-05-03T12:00:00', A: 1 }, 'bad timestamp')
  const h = commands('tasmota')
  h('dev/tasmota/plug/POWER', 1, ['dev/cmnd/plug/POWER', 'ON'])
  h('a/b/tasmota/plug/POWER2', 0, ['a/b/cmnd/plug/POWER2', 'OFF'])
  h('tasmota/plug/Dimmer', 40, ['cmnd/plug/Dimmer', '40'])
  h('dev/tasmota/plug/ENERGY/Power', 1, undefined)
  h('dev/other/plug/POWER', 1, undefined)
  h('tasmota/POWER', 1, undefined)
  commands('tasmota', 'dev/tele/plug/#')('dev/tasmota/plug/POWER', 1, ['dev/cmnd/plug/POWER', 'ON'])
  commands('tasmota', 'dev/tele/plug/#')('dev/tasmota/lamp/POWER', 1, undefined)
})

test('zigbee2mqtt', () => {
  const f = reads('zigbee2mqtt')
  f('dev/zigbee2mqtt/sensor', { temperature: 27.34, humidity: 44.72, last_seen: 1777636800000 }, [
    'obj/dev/zigbee2mqtt/sensor/temperature 27.34 °C',
    'obj/dev/zigbee2mqtt/sensor/humidity 44.72 %'
  ])
  f('dev/zigbee2mqtt/kitchen/lamp', { state: 'ON', brightness: 215, color: { x: 0.4, y: 0.3 } }, [
    'obj/dev/zigbee2mqtt/kitchen/lamp/state 1 !',
    'obj/dev/zigbee2mqtt/kitchen/lamp/brightness 215 !',
    'obj/dev/zigbee2mqtt/kitchen/lamp/color/x 0.4',
    'obj/dev/zigbee2mqtt/kitchen/lamp/color/y 0.3'
  ])
  f('dev/zigbee2mqtt/motion', { occupancy: true, battery: 97, action: 'single', voltage: null }, [
    'obj/dev/zigbee2mqtt/motion/occupancy 1',
    'obj/dev/zigbee2mqtt/motion/battery 97 %'
  ])
  f('zigbee2mqtt/door', { contact: false, update: { installed_version: 5 } }, [
    'obj/zigbee2mqtt/door/contact 0'
  ])
  f('dev/zigbee2mqtt/lamp/availability', { state: 'online' }, [
    'obj/dev/zigbee2mqtt/lamp/availability 1'
  ])
  f('dev/zigbee2mqtt/lamp/availability', 'offline', ['obj/dev/zigbee2mqtt/lamp/availability 0'])
  f('dev/zigbee2mqtt/lamp/state', 'ON', ['obj/dev/zigbee2mqtt/lamp/state 1 !'])
  f('dev/zigbee2mqtt/lamp/set', { state: 'ON' }, undefined)
  f('dev/zigbee2mqtt/lamp/get', { state: '' }, undefined)
  f('dev/zigbee2mqtt/lamp/set/state', 'ON', undefined)
  f('dev/zigbee2mqtt/bridge/state', { state: 'online' }, undefined)
  refuses('zigbee2mqtt')('dev/zigbee2mqtt/lamp', '{', 'not json')
  const h = commands('zigbee2mqtt')
  h('dev/zigbee2mqtt/lamp/state', 1, ['dev/zigbee2mqtt/lamp/set', '{"state":"ON"}'])
  h('dev/zigbee2mqtt/a/b/state_left', 0, ['dev/zigbee2mqtt/a/b/set', '{"state_left":"OFF"}'])
  h('dev/zigbee2mqtt/lamp/brightness', 100, ['dev/zigbee2mqtt/lamp/set', '{"brightness":100}'])
  h('dev/zigbee2mqtt/lamp/temperature', 1, undefined)
  h('dev/zigbee2mqtt/state', 1, undefined)
})

test('shelly', () => {
  const f = reads('shelly')
  const notify = (params: object, method = 'NotifyStatus') => ({
    ...{ src: 'shellyplus1pm-a8032abe54dc', dst: 'shellyplus1pm-a8032abe54dc/events', method },
    params
  })
  const rpc = 'dev/shellyplus1pm-a8032abe54dc/events/rpc'
  const root = 'obj/dev/shelly/shellyplus1pm-a8032abe54dc'
  f(
    rpc,
    notify({
      ts: 1777629600.04,
      'switch:0': { id: 0, output: true, source: 'HTTP_in', apower: 8.9 }
    }),
    [`${root}/switch:0/output 1 !`, `${root}/switch:0/apower 8.9 W`],
    1777629600040
  )
  f(rpc, notify({ ts: 12.5, 'input:0': { id: 0, state: false } }), [`${root}/input:0/state 0`])
  f(
    rpc,
    notify(
      { ts: 1777629600, events: [{ component: 'input:0', event: 'single_push' }] },
      'NotifyEvent'
    ),
    []
  )
  f(
    'dev/shellyplus1pm-a8032abe54dc/status/switch:0',
    {
      ...{ id: 0, source: 'WS_in', output: false, apower: 0, voltage: 225.9, current: 0 },
      aenergy: { total: 11.679, by_minute: [0, 0, 0], minute_ts: 1654511972 },
      temperature: { tC: 53.3, tF: 127.9 }
    },
    [
      `${root}/switch:0/output 0 !`,
      `${root}/switch:0/apower 0 W`,
      `${root}/switch:0/voltage 225.9 V`,
      `${root}/switch:0/current 0 A`,
      `${root}/switch:0/aenergy/total 11.679 Wh`,
      `${root}/switch:0/temperature/tC 53.3 °C`
    ]
  )
  f('dev/x/status/sys', { uptime: 5 }, [])
  f('dev/x/command/switch:0', 'on', undefined)
  f('dev/x/rpc', { method: 'Switch.Set' }, undefined)
  refuses('shelly')('dev/x/status/switch:0', 'on', 'not json')
  refuses('shelly')(rpc, notify({ ts: 1e12, 'switch:0': { output: true } }), 'bad timestamp')
  const h = commands('shelly')
  h('dev/shelly/x/switch:0/output', 1, ['dev/x/command/switch:0', 'on'])
  h('a/b/shelly/x/light:1/output', 0, ['a/b/x/command/light:1', 'off'])
  h('dev/shelly/x/switch:0/apower', 1, undefined)
})

test('homeassistant', () => {
  const f = reads('homeassistant')
  f('dev/homeassistant/sensor/outside/state', '21.5', [
    'obj/dev/homeassistant/sensor/outside/state 21.5'
  ])
  f('dev/homeassistant/light/hall/state', 'on', ['obj/dev/homeassistant/light/hall/state 1'])
  f('dev/homeassistant/light/hall/brightness', '180', [
    'obj/dev/homeassistant/light/hall/brightness 180'
  ])
  f('dev/homeassistant/light/hall/friendly_name', '"Hall"', [])
  f('dev/homeassistant/light/hall/supported_color_modes', '["xy"]', [])
  f('dev/homeassistant/cover/gate/state', 'closed', ['obj/dev/homeassistant/cover/gate/state 0'])
  f('dev/homeassistant/sensor/outside/state', 'unavailable', [])
  f('dev/homeassistant/sensor/outside/last_updated', '"2026-05-01T12:00:00+00:00"', undefined)
  f('dev/homeassistant/status', 'online', undefined)
  f('homeassistant/sensor/a/state', '1', ['obj/homeassistant/sensor/a/state 1'])
})

test('chirpstack', () => {
  const f = reads('chirpstack')
  const topic =
    'dev/application/b3f5c7e2-0000-4000-8000-000000000001/device/0102030405060708/event/up'
  const root = 'obj/dev/chirpstack/0102030405060708'
  const up = {
    deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
    time: '2026-05-01T11:59:58.775023242+00:00',
    deviceInfo: { deviceName: 'Meadow', devEui: '0102030405060708', tags: {} },
    ...{ devAddr: '00189440', adr: true, dr: 1, fCnt: 4, fPort: 1, confirmed: false, data: 'qg==' },
    object: { temperature: 21.5, door: { open: true }, list: [1, 2], text: '7' },
    rxInfo: [
      { gatewayId: '0016c001f153a14c', rssi: -57, snr: 10 },
      { gatewayId: '0016c001f153a14d', rssi: -36, snr: 10.5 }
    ]
  }
  f(
    topic,
    up,
    [
      `${root}/temperature 21.5`,
      `${root}/door/open 1`,
      `${root}/list/0 1`,
      `${root}/list/1 2`,
      `${root}/rssi -36 dBm`,
      `${root}/snr 10.5 dB`
    ],
    Date.parse('2026-05-01T11:59:58.775Z')
  )
  f(topic, { fCnt: 1 }, [])
  f(topic.replace('/up', '/join'), up, undefined)
  f(topic.replace('event/up', 'command/down'), up, undefined)
  refuses('chirpstack')(topic, 'up', 'not json')
})

test('ttn', () => {
  const f = reads('ttn')
  const topic = 'dev/v3/app1@ttn/devices/dev1/up'
  const up = {
    end_device_ids: { device_id: 'dev1', application_ids: { application_id: 'app1' } },
    received_at: '2026-05-01T11:59:59.123456789Z',
    uplink_message: {
      ...{ f_port: 1, f_cnt: 2, frm_payload: 'gkHe' },
      decoded_payload: { temperature: 1.5, led: false },
      rx_metadata: [{ gateway_ids: { gateway_id: 'gtw1' }, rssi: -35, channel_rssi: -35, snr: 5.2 }]
    }
  }
  const root = 'obj/dev/ttn/app1@ttn/dev1'
  f(
    topic,
    up,
    [`${root}/temperature 1.5`, `${root}/led 0`, `${root}/rssi -35 dBm`, `${root}/snr 5.2 dB`],
    Date.parse('2026-05-01T11:59:59.123Z')
  )
  f('dev/v3/app1@ttn/devices/dev1/join', up, undefined)
  f('dev/v3/app1@ttn/devices/dev1/down/push', {}, undefined)
  refuses('ttn')(topic, { ...up, received_at: 5 }, 'bad timestamp')
})

test('a make with a filter reads only what the filter matches', () => {
  const mapping = made('tasmota', 'dev/+/plug/#')
  assert.equal(readBy(mapping, 'dev/stat/plug/POWER', 'ON')?.values.length, 1)
  assert.equal(readBy(mapping, 'dev/stat/lamp/POWER', 'ON'), undefined)
})

test('a hostile message of a make ends soon', () => {
  const wide = Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`k${i}`, i]))
  refuses('zigbee2mqtt')('dev/zigbee2mqtt/x', wide, 'too many values')
  refuses('zigbee2mqtt')('dev/zigbee2mqtt/x', Array(4).fill(wide), 'not json')
  const long = { ['k'.repeat(1100)]: 1 }
  refuses('tasmota')('dev/tele/x/SENSOR', long, 'bad topic')
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  reads('tasmota')('dev/tele/x/SENSOR', deep, [])
  reads('tasmota')('dev/tele/x/SENSOR', '{"__proto__":{"x":1}}', [
    'obj/dev/tasmota/x/__proto__/x 1'
  ])
  const large = `{"a":"${'x'.repeat(200_000)}"}`
  refuses('zigbee2mqtt')('dev/zigbee2mqtt/x', large, 'too large')
  reads('zigbee2mqtt')('dev/zigbee2mqtt/bridge/devices', large, undefined)
})
