import { type MappedMessage, NOT_JSON } from '../message.ts'
import { ownMoment } from '../moment.ts'
import type { Outcome } from '../rule.ts'
import {
  DeviceValues,
  isObject,
  type Make,
  ownKey,
  placeOfLevel,
  readPlain,
  refusedFor
} from './make.ts'

/** An uplink as a network server sends it. */
type Uplink = {
  device: string
  place: readonly string[]
  time: unknown
  decoded: unknown
  /** What each gateway heard. */
  heard: unknown
}

/** `application/<id>/device/<eui>/event/up` of version 4. */
export const chirpstack: Make = {
  read(message) {
    const { levels } = message
    const at = placeOfLevel(levels, 'application')
    const [, , device, eui = '', event, up, ...more] = levels.slice(at)
    if (at < 0 || device !== 'device' || event !== 'event' || up !== 'up' || more.length > 0) {
      return undefined
    }
    const { content } = message
    if (content === NOT_JSON || !isObject(content)) return refusedFor('not json')
    const name = ownKey(ownKey(content, 'deviceInfo'), 'deviceName')
    return readUplink(message, {
      device: typeof name === 'string' && name !== '' ? name.slice(0, 100) : eui,
      place: [...levels.slice(0, at), 'chirpstack', eui],
      time: ownKey(content, 'time'),
      decoded: ownKey(content, 'object'),
      heard: ownKey(content, 'rxInfo')
    })
  }
}

/** `v3/<application>@<tenant>/devices/<device>/up` of The Things Stack. */
export const ttn: Make = {
  read(message) {
    const { levels } = message
    const at = placeOfLevel(levels, 'v3')
    const [, application = '', devices, device = '', up, ...more] = levels.slice(at)
    if (at < 0 || devices !== 'devices' || up !== 'up' || more.length > 0) return undefined
    const { content } = message
    if (content === NOT_JSON || !isObject(content)) return refusedFor('not json')
    const uplink = ownKey(content, 'uplink_message')
    return readUplink(message, {
      device,
      place: [...levels.slice(0, at), 'ttn', application, device],
      time: ownKey(content, 'received_at'),
      decoded: ownKey(uplink, 'decoded_payload'),
      heard: ownKey(uplink, 'rx_metadata')
    })
  }
}

/** A few dozen gateways hear a device at most. */
const MAX_GATEWAYS = 100

function readUplink(message: MappedMessage, { device, place, time, ...uplink }: Uplink): Outcome {
  const values = new DeviceValues(
    message,
    { levels: place, device },
    ownMoment(time, 'iso', message)
  )
  values.each(uplink.decoded, (keys, found) => {
    if (keys.length > 0 && typeof found !== 'string') values.add(keys, readPlain(found))
  })
  const heard = Array.isArray(uplink.heard) ? uplink.heard.slice(0, MAX_GATEWAYS) : []
  for (const [key, unit] of [
    ['rssi', 'dBm'],
    ['snr', 'dB']
  ] as const) {
    const found = heard.flatMap((one) => readPlain(ownKey(one, key)) ?? [])
    // The gateway that heard it best.
    if (found.length > 0) values.add([key], Math.max(...found), { unit })
  }
  return values.outcome
}
