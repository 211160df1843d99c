import { SECOND } from '../lib/unix-time.ts'

/**
 * A simulated device that takes commands. `answersAfterMs` is missing for one that never answers,
 * and it has no value then.
 */
export type DemoActuator = {
  place: string
  kind: string
  name: string
  /** Topics without the client id. */
  topic_read: string
  topic_write: string
  meta: Record<string, string>
  first: number
  answersAfterMs?: number
}

type About = Pick<DemoActuator, 'name' | 'meta' | 'first' | 'answersAfterMs'>

const actuator = (place: string, kind: string, about: About): DemoActuator => ({
  place,
  kind,
  topic_read: `obj/${place}/${kind}`,
  topic_write: `set/obj/${place}/${kind}`,
  ...about
})

const onOff = { state_off: '0', state_on: '1' }
const FAST_MS = 0.3 * SECOND
const SLOW_MS = 6 * SECOND

export const villaActuators = (): DemoActuator[] => [
  actuator('living_room', 'switch', {
    name: 'lamp',
    meta: onOff,
    first: 1,
    answersAfterMs: FAST_MS
  }),
  actuator('living_room', 'setpoint', {
    name: 'setpoint',
    meta: { min: '15', max: '25', step: '0.5', unit: '°C', format: '%.1f' },
    first: 21,
    answersAfterMs: FAST_MS
  }),
  actuator('heat_pump', 'mode', {
    name: 'mode',
    meta: {
      ...{ state_off: '0', state_eco: '1', state_comfort: '2', state_boost: '3' },
      topic_response: 'mqtt5'
    },
    first: 1,
    answersAfterMs: SECOND
  }),
  actuator('garage_door', 'motor', {
    name: 'motor',
    meta: {
      state_closed: '0',
      state_open: '1',
      confirm: 'The door moves at once. Is nobody under it?'
    },
    first: 0,
    answersAfterMs: SLOW_MS
  }),
  actuator('bathroom', 'switch', { name: 'fan', meta: onOff, first: 0 })
]

export const officeActuators = (): DemoActuator[] => [
  actuator('ventilation', 'dimmer', {
    name: 'speed',
    meta: { min: '0', max: '100', step: '5', unit: '%', format: '%.0f' },
    first: 40,
    answersAfterMs: FAST_MS
  }),
  actuator('open_plan', 'switch', {
    name: 'lights',
    meta: onOff,
    first: 0,
    answersAfterMs: FAST_MS
  })
]
