import type { Static } from 'typebox'
import type { NewMapping } from '../features/mapping/schema.ts'
import type { NewRule } from '../features/rule/schema.ts'
import type { NewSchedule } from '../features/schedule/schema.ts'

/** What the pages of management show of a site, as bodies of the API. */
export type DemoManaged = {
  schedules: Static<typeof NewSchedule>[]
  rules: Static<typeof NewRule>[]
  mappings: Static<typeof NewMapping>[]
  /** The places of a temperature and of a switch, for the edge app. */
  setback: { sensor: string; until: string }
  /** Below the client id. */
  blacklisted: { topic: string; reason: string }
  /** Who may register as a user of the organization. */
  registers?: string
}

const WEEKDAYS = '1-5'
const server = { active: true, executor: 'server' }

const batteries: DemoManaged['rules'][number] = {
  name: 'Battery',
  severity: 'info',
  on: { topics: ['obj/+/battery'] },
  when: { below: 85 },
  hysteresis: 5,
  message: '{{.payload.value}} %: have a new one ready'
}

export const villaManaged: DemoManaged = {
  schedules: [
    {
      ...server,
      topic: 'set/obj/living_room/switch',
      value: 1,
      minute: '30',
      hour: '6',
      day_of_week: WEEKDAYS
    },
    { ...server, topic: 'set/obj/living_room/switch', value: 0, minute: '0', hour: '23' },
    { ...server, topic: 'set/obj/heat_pump/mode', value: 1, minute: '*/30', active: false }
  ],
  rules: [
    batteries,
    {
      name: 'Stuffy air',
      severity: 'warning',
      on: { topics: ['obj/living_room/co2', 'obj/bedroom/co2'] },
      when: { above: 800 },
      for: '2m',
      hysteresis: 50,
      message: '{{.payload.value}} ppm: open a window'
    },
    {
      name: 'Heat pump silent',
      severity: 'critical',
      on: { topics: ['obj/heat_pump/power'] },
      when: { silent_for: '10m' },
      message: 'Is the gateway without power?'
    }
  ],
  mappings: [
    { name: 'Zigbee sensors', make: 'zigbee2mqtt', filter: 'zigbee2mqtt/+', create_missing: true }
  ],
  setback: { sensor: 'obj/living_room/temperature', until: '06:00' },
  blacklisted: { topic: 'obj/doorbell/debug', reason: 'Its firmware sends hundreds a second' }
}

export const officeManaged: DemoManaged = {
  schedules: [
    {
      ...server,
      topic: 'set/obj/ventilation/dimmer',
      value: 80,
      minute: '0',
      hour: '7',
      day_of_week: WEEKDAYS
    },
    {
      ...server,
      topic: 'set/obj/ventilation/dimmer',
      value: 20,
      minute: '0',
      hour: '18',
      day_of_week: WEEKDAYS
    },
    { ...server, topic: 'set/obj/open_plan/switch', value: 0, minute: '0', hour: '20' }
  ],
  rules: [
    batteries,
    {
      name: 'Air of a meeting room',
      severity: 'warning',
      on: { topics: ['obj/+/co2'] },
      when: { above: 900 },
      for: '5m',
      hysteresis: 100,
      message: '{{.payload.value}} ppm: ventilate, or end the meeting'
    },
    {
      name: 'Server room too warm',
      severity: 'critical',
      on: { topics: ['obj/server_room/temperature'] },
      when: { above: 27 },
      for: '1m',
      message: 'Look at the cooling'
    }
  ],
  mappings: [],
  setback: { sensor: 'obj/open_plan/temperature', until: '05:30' },
  blacklisted: { topic: 'obj/lift/#', reason: 'Its numbers belong to the maker of the lift' },
  registers: '*@office.example.org'
}

/** An app of the demo's own organization: what is uploaded, and how it is described. */
export const demoApp = {
  fields: {
    name: 'Night setback',
    category: 'heating',
    tags: ['heating', 'energy'],
    short_description: 'Lowers the temperature at night',
    description: 'Lowers the setpoint at night, and raises it again in time for the morning.',
    source_url: '',
    official: false,
    public: true
  },
  files: {
    app_json: JSON.stringify({
      author: 'Demo Energy',
      input: {
        sensor: { name: 'Room sensor', type: 'single_function_selector', required: true },
        lower: {
          name: 'Lower by (°C)',
          type: 'number',
          min: 0,
          max: 6,
          default: 2,
          required: true
        },
        until: { name: 'Warm again at', type: 'text', default: '06:00' },
        weekend: { name: 'At weekends too', type: 'toggle' }
      }
    }),
    app_lua: 'function onStart()\n  print("Night setback")\nend\n'
  },
  version: '1.0'
}

export const demoNotification = {
  executor: {
    type: 'webhook',
    name: 'Chat of the caretakers',
    config: { url: 'https://chat.example.org/hook' }
  },
  message: {
    name: 'Too cold',
    text: '{{.installation.Name}}: {{printf "%.1f" .payload.value}} °C. Please look at the heating.'
  },
  output: { name: 'Too cold, to the chat', config: { channel: 'caretakers' } }
}

export const demoFile = {
  name: 'rooms.csv',
  mime: 'text/csv',
  // Each character is one byte.
  text: 'room,floor\r\nliving room,0\r\nbedroom,1\r\nkitchen,0\r\nbathroom,1\r\n'
}
