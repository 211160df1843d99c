import { NOT_JSON } from '../message.ts'
import { numberOf } from '../number.ts'
import { DeviceValues, MAX_MOUNT_LEVELS, type Make } from './make.ts'

/** The domains whose states can be numbers. */
const domains = new Set(
  (
    'alarm_control_panel automation binary_sensor button climate counter cover device_tracker fan ' +
    'humidifier input_boolean input_number lawn_mower light lock media_player number person plant ' +
    'proximity remote schedule sensor siren sun switch timer update vacuum valve water_heater weather zone'
  ).split(' ')
)
const NAME = /^[a-z0-9_]{1,255}$/
const states: ReadonlyMap<string, number> = new Map([
  ['on', 1],
  ['off', 0],
  ['open', 1],
  ['closed', 0],
  ['locked', 1],
  ['unlocked', 0],
  ['home', 1],
  ['not_home', 0],
  ['above_horizon', 1],
  ['below_horizon', 0],
  ['True', 1],
  ['False', 0]
])
const times = new Set(['last_changed', 'last_updated'])

/** `<base>/<domain>/<entity>/state` and numbers among its attributes, as Statestream sends them. */
export const homeassistant: Make = {
  read(message) {
    const { levels } = message
    const [domain = '', entity = '', key = ''] = levels.slice(-3)
    const hasBase = levels.length > 3 && levels.length <= MAX_MOUNT_LEVELS + 4
    if (!hasBase || !domains.has(domain) || !NAME.test(entity) || !NAME.test(key)) return undefined
    if (times.has(key)) return undefined
    const { content } = message
    const values = new DeviceValues(
      message,
      { levels: levels.slice(0, -1), device: `${domain}.${entity}` },
      message.arrival
    )
    // Other words and lists, such as `unavailable`, are no values.
    if (content !== NOT_JSON) values.add([key], numberOf(content, states))
    return values.outcome
  }
}
