import { NOT_JSON } from '../message.ts'
import {
  DeviceValues,
  isObject,
  type Make,
  ownKey,
  placeOfLevel,
  readPlain,
  refusedFor
} from './make.ts'

const BASE = 'zigbee2mqtt'
const words: ReadonlyMap<string, number> = new Map([
  ['ON', 1],
  ['OFF', 0],
  ['OPEN', 1],
  ['CLOSE', 0],
  ['LOCK', 1],
  ['UNLOCK', 0]
])
const available = new Map([
  ['online', 1],
  ['offline', 0]
])
const units: ReadonlyMap<string, string> = new Map([
  ['temperature', '°C'],
  ['device_temperature', '°C'],
  ['local_temperature', '°C'],
  ['occupied_heating_setpoint', '°C'],
  ['current_heating_setpoint', '°C'],
  ['humidity', '%'],
  ['soil_moisture', '%'],
  ['battery', '%'],
  ['position', '%'],
  ['pressure', 'hPa'],
  ['power', 'W'],
  ['energy', 'kWh'],
  ['current', 'A'],
  ['illuminance', 'lx'],
  ['illuminance_lux', 'lx'],
  ['co2', 'ppm'],
  ['pm25', 'µg/m³']
])
/** These are about the message or the firmware, not values of the device. */
const skipped = new Set(['last_seen', 'elapsed', 'update', 'update_available', 'device'])
/** A key may end with the name of an endpoint, as `state_left`. */
const SWITCH = /^state(_\w+)?$/
const SETTING =
  /^(brightness|color_temp|position|occupied_heating_setpoint|current_heating_setpoint)(_\w+)?$/

/** `zigbee2mqtt/<friendly name>`; the name may have slashes. */
export const zigbee2mqtt: Make = {
  read(message) {
    const { levels } = message
    const at = placeOfLevel(levels, BASE)
    const rest = levels.slice(at + 1)
    const last = rest.at(-1) ?? ''
    if (at < 0 || rest.length === 0 || rest[0] === 'bridge') return undefined
    // Commands to the device.
    if (rest.length > 1 && rest.some((level) => level === 'set' || level === 'get'))
      return undefined
    const { content } = message
    const valuesOf = (device: readonly string[]) =>
      new DeviceValues(
        message,
        { levels: [...levels.slice(0, at + 1), ...device], device: device.join('/') },
        message.arrival
      )
    if (rest.length > 1 && last === 'availability') {
      const values = valuesOf(rest.slice(0, -1))
      const found = isObject(content) ? ownKey(content, 'state') : content
      values.add(['availability'], readPlain(found, available))
      return values.outcome
    }
    if (content === NOT_JSON) return refusedFor('not json')
    if (!isObject(content)) {
      // With the output `attribute` each value has a topic.
      if (rest.length < 2) return refusedFor('not json')
      const values = valuesOf(rest.slice(0, -1))
      addTo(values, [last], content)
      return values.outcome
    }
    const values = valuesOf(rest)
    values.each(content, (keys, found) => addTo(values, keys, found))
    return values.outcome
  },

  command(levels, value) {
    const at = placeOfLevel(levels, BASE)
    const [device, key = ''] = [levels.slice(at + 1, -1), levels.at(-1)]
    if (at < 0 || device.length === 0) return undefined
    const source = [...levels.slice(0, at + 1), ...device].join('/')
    const command = (setting: unknown) => ({
      topic: `${source}/set`,
      payload: JSON.stringify({ [key]: setting }),
      sources: [source, `${source}/${key}`]
    })
    if (SWITCH.test(key)) return command(value === 0 ? 'OFF' : 'ON')
    return SETTING.test(key) ? command(value) : undefined
  }
}

function addTo(values: DeviceValues, keys: readonly string[], found: unknown): void {
  const [key = ''] = keys
  if (skipped.has(key)) return
  const isSwitch = SWITCH.test(key) && (found === 'ON' || found === 'OFF')
  const isWritable = keys.length === 1 && (isSwitch || SETTING.test(key))
  values.add(keys, readPlain(found, words), { unit: units.get(key) ?? '', isWritable })
}
