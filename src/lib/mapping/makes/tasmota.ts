import { type MappedMessage, NOT_JSON } from '../message.ts'
import { ownMoment } from '../moment.ts'
import {
  type Command,
  DeviceValues,
  isObject,
  type Make,
  ownKey,
  placeOfLevel,
  readPlain,
  refusedFor
} from './make.ts'

const POWER = /^POWER\d{0,2}$/
const online = new Map([
  ['Online', 1],
  ['Offline', 0]
])
/** Of STATE. The rest is about the firmware. */
const stateUnits: ReadonlyMap<string, string> = new Map([
  ['Dimmer', '%'],
  ['CT', ''],
  ['UptimeSec', 's'],
  ['LoadAvg', ''],
  ['Wifi/RSSI', '%'],
  ['Wifi/Signal', 'dBm']
])
const sensorUnits: ReadonlyMap<string, string> = new Map([
  ['Humidity', '%'],
  ['Power', 'W'],
  ['ApparentPower', 'VA'],
  ['ReactivePower', 'var'],
  ['Voltage', 'V'],
  ['Current', 'A'],
  ['Frequency', 'Hz'],
  ['Total', 'kWh'],
  ['Today', 'kWh'],
  ['Yesterday', 'kWh'],
  ['Illuminance', 'lx'],
  ['CarbonDioxide', 'ppm']
])

/** `tele/<topic>/STATE`, `SENSOR` and `LWT`, `stat/<topic>/RESULT` and `POWER`. */
export const tasmota: Make = {
  read(message) {
    const { levels } = message
    const at = placeOfLevel(levels, 'tele', 'stat')
    const [prefix, kind = ''] = [levels[at], levels.at(-1)]
    const device = levels.slice(at + 1, -1)
    if (at < 0 || device.length === 0) return undefined
    const place = {
      levels: [...levels.slice(0, at), 'tasmota', ...device],
      device: device.join('/')
    }
    if (prefix === 'tele' && kind === 'LWT') {
      const values = new DeviceValues(message, place, message.arrival)
      values.add(['LWT'], readPlain(message.content, online))
      return values.outcome
    }
    if (prefix === 'stat' && POWER.test(kind)) {
      const values = new DeviceValues(message, place, message.arrival)
      values.add([kind], readPlain(message.content), { isWritable: true })
      return values.outcome
    }
    const isState = prefix === 'tele' ? kind === 'STATE' : kind === 'RESULT'
    if (!isState && !(prefix === 'tele' && kind === 'SENSOR')) return undefined
    const { content } = message
    if (content === NOT_JSON || !isObject(content)) return refusedFor('not json')
    return (isState ? readState : readSensor)(message, place)
  },

  command(levels, value): Command | undefined {
    const at = placeOfLevel(levels, 'tasmota')
    const [mount, device, key = ''] = [levels.slice(0, at), levels.slice(at + 1, -1), levels.at(-1)]
    if (at < 0 || device.length === 0) return undefined
    const topicOf = (prefix: string, last: string) => [...mount, prefix, ...device, last].join('/')
    const sources = [topicOf('tele', 'STATE'), topicOf('stat', 'RESULT'), topicOf('stat', key)]
    const topic = topicOf('cmnd', key)
    if (POWER.test(key)) return { topic, payload: value === 0 ? 'OFF' : 'ON', sources }
    return key === 'Dimmer' ? { topic, payload: String(value), sources } : undefined
  }
}

type Place = ConstructorParameters<typeof DeviceValues>[1]

const timeOf = (message: MappedMessage) =>
  ownMoment(ownKey(message.content, 'Time'), 'iso', message)

function readState(message: MappedMessage, place: Place) {
  const values = new DeviceValues(message, place, timeOf(message))
  values.each(message.content, (keys, found) => {
    const [first = ''] = keys
    if (keys.length === 1 && POWER.test(first)) {
      values.add(keys, readPlain(found), { isWritable: true })
      return
    }
    const unit = stateUnits.get(keys.join('/'))
    if (unit === undefined || typeof found !== 'number') return
    values.add(keys, readPlain(found), { unit, isWritable: first === 'Dimmer' })
  })
  return values.outcome
}

function readSensor(message: MappedMessage, place: Place) {
  const { content } = message
  const temperature = ownKey(content, 'TempUnit') === 'F' ? '°F' : '°C'
  const pressure = ownKey(content, 'PressureUnit')
  const unitOf = (keys: readonly string[]) => {
    // Several phases are a list.
    const key = keys.findLast((one) => !/^\d+$/.test(one)) ?? ''
    if (key === 'Temperature' || key === 'DewPoint') return temperature
    if (/Pressure$/.test(key)) return typeof pressure === 'string' ? pressure.slice(0, 16) : 'hPa'
    return sensorUnits.get(key) ?? ''
  }
  const values = new DeviceValues(message, place, timeOf(message))
  values.each(content, (keys, found) => {
    values.add(keys, readPlain(found), { unit: unitOf(keys) })
  })
  return values.outcome
}
