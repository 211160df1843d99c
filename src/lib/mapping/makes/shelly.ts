import { type MappedMessage, NOT_JSON } from '../message.ts'
import { ownMoment } from '../moment.ts'
import { DeviceValues, isObject, type Make, ownKey, readPlain, refusedFor } from './make.ts'

const COMPONENT = /^[a-z][a-z0-9_]*(:\d{1,3})?$/
const SWITCHED = /^(switch|light):\d{1,3}$/
const units: ReadonlyMap<string, string> = new Map([
  ['apower', 'W'],
  ['act_power', 'W'],
  ['aprt_power', 'VA'],
  ['voltage', 'V'],
  ['current', 'A'],
  ['freq', 'Hz'],
  ['tC', '°C'],
  ['rh', '%'],
  ['lux', 'lx'],
  ['brightness', '%'],
  ['current_pos', '%'],
  ['percent', '%'],
  ['rssi', 'dBm']
])
/** The same temperature again, and numbers of the message itself. */
const skipped = new Set([
  'id',
  'tF',
  'ts',
  'by_minute',
  'minute_ts',
  'unixtime',
  'cfg_rev',
  'kvs_rev'
])
/** Components of the firmware. */
const firmware = new Set(['sys', 'cloud', 'mqtt', 'ws', 'ble', 'eth', 'ui', 'schedule', 'webhook'])

/** `<prefix>/events/rpc` and `<prefix>/status/<component>` of the second generation. */
export const shelly: Make = {
  read(message) {
    const { levels } = message
    const [device, group, last = ''] = levels.slice(-3)
    if (levels.length < 3 || !device || levels[0] === group) return undefined
    const isStatus = group === 'status' && COMPONENT.test(last)
    if (!isStatus && !(group === 'events' && last === 'rpc')) return undefined
    const { content } = message
    if (content === NOT_JSON || !isObject(content)) return refusedFor('not json')
    const place = { levels: [...levels.slice(0, -3), 'shelly', device], device }
    if (isStatus) return readComponents(message, place, { [last]: content }, message.arrival)
    const method = ownKey(content, 'method')
    if (method !== 'NotifyStatus' && method !== 'NotifyFullStatus')
      return { values: [], refused: [] }
    const params = ownKey(content, 'params')
    if (!isObject(params)) return refusedFor('no params', 'params')
    const timestamp = ownMoment(ownKey(params, 'ts'), 's', message)
    return readComponents(message, place, params, timestamp)
  },

  command(levels, value) {
    const [make, device, component = '', key] = levels.slice(-4)
    const isSwitch = SWITCHED.test(component) && key === 'output'
    if (make !== 'shelly' || !device || !isSwitch) return undefined
    const root = [...levels.slice(0, -4), device].join('/')
    return {
      topic: `${root}/command/${component}`,
      payload: value === 0 ? 'off' : 'on',
      sources: [`${root}/status/${component}`, `${root}/events/rpc`]
    }
  }
}

function readComponents(
  message: MappedMessage,
  place: ConstructorParameters<typeof DeviceValues>[1],
  components: Record<string, unknown>,
  timestamp: ReturnType<typeof ownMoment>
) {
  const values = new DeviceValues(message, place, timestamp)
  values.each(components, (keys, found) => {
    const [component = ''] = keys
    if (firmware.has(component) || keys.some((key) => skipped.has(key))) return
    const key = keys.at(-1) ?? ''
    const isWritable = keys.length === 2 && key === 'output' && SWITCHED.test(component)
    const unit = keys.includes('aenergy') && key === 'total' ? 'Wh' : units.get(key)
    // Words such as the source of a change are no values.
    if (keys.length > 1 && typeof found !== 'string') {
      values.add(keys, readPlain(found), { unit: unit ?? '', isWritable })
    }
  })
  return values.outcome
}
