import { type DemoActuator, officeActuators, villaActuators } from './actuators.ts'
import {
  atHome,
  atWork,
  battery,
  type Curve,
  carbonDioxide,
  charger,
  counter,
  event,
  mainsVoltage,
  outdoorHumidity,
  outdoorTemperature,
  power,
  roomHumidity,
  roomTemperature,
  solarPower,
  supplyTemperature
} from './curves.ts'
import { type DemoManaged, officeManaged, villaManaged } from './managed.ts'

/** `states` are the names of 0 and 1. */
type Measure = { name: string; decimals: number; unit?: string; states?: [string, string] }

const measures = {
  temperature: { name: 'temperature', unit: '°C', decimals: 1 },
  supply_temperature: { name: 'supply temperature', unit: '°C', decimals: 1 },
  humidity: { name: 'humidity', unit: '%', decimals: 1 },
  co2: { name: 'CO₂', unit: 'ppm', decimals: 0 },
  power: { name: 'power', unit: 'W', decimals: 0 },
  energy: { name: 'energy', unit: 'kWh', decimals: 2 },
  voltage: { name: 'voltage', unit: 'V', decimals: 1 },
  volume: { name: 'volume', unit: 'm³', decimals: 3 },
  battery: { name: 'battery', unit: '%', decimals: 0 },
  open: { name: '', states: ['closed', 'open'], decimals: 0 },
  occupied: { name: 'occupancy', states: ['free', 'occupied'], decimals: 0 }
} satisfies Record<string, Measure>

/** The metadata that tell clients how to show a value. */
const shownBy = ({ unit, states, decimals }: Measure): Record<string, string> =>
  states
    ? { [`state_${states[0]}`]: '0', [`state_${states[1]}`]: '1' }
    : { unit: unit ?? '', format: `%.${decimals}f` }

type Kind = keyof typeof measures
type Signal = readonly [place: string, kind: Kind, curve: Curve]

export type DemoTopic = {
  topic: string
  place: string
  kind: string
  name: string
  meta: Record<string, string>
  valueAt: Curve
}

/**
 * An installation of the demo. `key` finds it again at the next start, even when its name has
 * changed.
 */
export type DemoSite = {
  key: string
  organization: string
  name: string
  notes: string
  timezone: string
  meta: Record<string, string>
  /** Topics without the client id. */
  topics: DemoTopic[]
  actuators: DemoActuator[]
  board: DemoPlot[]
  managed: DemoManaged
}

/** A plot of the board: places and kinds such as `outdoor/temperature`, and the last seconds. */
export type DemoPlot = { title: string; topics: string[]; span: number; compare?: boolean }

export const DEMO_ORGANIZATION = 'Demo Energy'

export const demoSites = (): DemoSite[] => [
  site(villa(), villaActuators(), {
    key: 'villa',
    organization: 'Demo Energy Homes',
    name: 'Villa Björkhaga',
    notes: 'Simulated: a house of 1974 with a heat pump and solar panels',
    meta: { city: 'Uppsala', country: 'Sweden', building: 'house', area_m2: '164', built: '1974' },
    board: [
      plot('Warm enough?', 7 * DAY_S, [
        'living_room/temperature',
        'bedroom/temperature',
        'kitchen/temperature',
        'outdoor/temperature'
      ]),
      plot('Power today and a week ago', DAY_S, ['solar/power', 'heat_pump/power'], true),
      plot('Air in the rooms', DAY_S, ['living_room/co2', 'bedroom/co2', 'bathroom/humidity']),
      plot('A year outside', 365 * DAY_S, ['outdoor/temperature'])
    ],
    managed: villaManaged
  }),
  site(office(), officeActuators(), {
    key: 'office',
    organization: 'Demo Energy Buildings',
    name: 'Kvarnen Office',
    notes: 'Simulated: two floors of an old mill, district heating',
    meta: {
      city: 'Göteborg',
      country: 'Sweden',
      building: 'office',
      area_m2: '1250',
      built: '1912'
    },
    board: [
      plot('Air of the meeting rooms', DAY_S, [
        'meeting_room_1/co2',
        'meeting_room_2/co2',
        'meeting_room_1/occupied'
      ]),
      plot(
        'Power, this week and the last',
        7 * DAY_S,
        ['ventilation/power', 'server_room/power'],
        true
      ),
      plot('Heating follows the weather', 30 * DAY_S, [
        'heating/supply_temperature',
        'outdoor/temperature'
      ])
    ],
    managed: officeManaged
  })
]

const DAY_S = 24 * 3600

const plot = (title: string, span: number, topics: string[], compare = false): DemoPlot => ({
  title,
  topics: topics.map((topic) => `obj/${topic}`),
  span,
  ...(compare && { compare })
})

function site(
  signals: readonly Signal[],
  actuators: DemoActuator[],
  about: Omit<DemoSite, 'topics' | 'actuators' | 'timezone'>
): DemoSite {
  return {
    ...about,
    timezone: 'Europe/Stockholm',
    actuators,
    topics: signals.map(([place, kind, curve]) => ({
      topic: `obj/${place}/${kind}`,
      place,
      kind,
      name: measures[kind].name,
      meta: shownBy(measures[kind]),
      valueAt: rounded(curve, measures[kind].decimals)
    }))
  }
}

function rounded(curve: Curve, decimals: number): Curve {
  const steps = 10 ** decimals
  return (ms) => Math.round(curve(ms) * steps) / steps
}

function villa(): Signal[] {
  const outdoor = outdoorTemperature(100)
  const house = { average: 1400, yearly: 0.45, daily: 0.3, peakHour: 19 }
  const heatPump = { average: 750, yearly: 0.7, daily: 0.15, peakHour: 6 }
  const water = { average: 0.018, yearly: 0, daily: 0.8, peakHour: 19 }
  return [
    ['outdoor', 'temperature', outdoor],
    ['outdoor', 'humidity', outdoorHumidity(110)],
    ['living_room', 'temperature', roomTemperature(120, 21)],
    ['living_room', 'humidity', roomHumidity(122)],
    ['living_room', 'co2', carbonDioxide(124, atHome)],
    ['bedroom', 'temperature', roomTemperature(130, 18.5)],
    ['bedroom', 'humidity', roomHumidity(132, 44)],
    ['bedroom', 'co2', carbonDioxide(134, atHome)],
    ['kitchen', 'temperature', roomTemperature(140, 21.5, 1)],
    ['bathroom', 'humidity', roomHumidity(142, 55)],
    ['front_door', 'open', event(150, atHome, 0.03)],
    ['front_door', 'battery', battery(152)],
    ['garage_door', 'open', event(154, atHome, 0.02)],
    ['garage_door', 'battery', battery(156)],
    ['meter', 'power', power(160, house)],
    ['meter', 'energy', counter(inKilo(house))],
    ['meter', 'voltage', mainsVoltage(162)],
    ['heat_pump', 'power', power(170, heatPump)],
    ['solar', 'power', solarPower(180, 8200)],
    ['water', 'volume', counter(water)]
  ]
}

function office(): Signal[] {
  const outdoor = outdoorTemperature(200)
  const building = { average: 9800, yearly: 0.1, daily: 0.6, peakHour: 13 }
  const heating = { average: 22_000, yearly: 0.75, daily: 0.1, peakHour: 6 }
  const ventilation = { average: 2600, yearly: 0.05, daily: 0.7, peakHour: 13 }
  const servers = { average: 3100, yearly: 0, daily: 0.05, peakHour: 14 }
  return [
    ['outdoor', 'temperature', outdoor],
    ['outdoor', 'humidity', outdoorHumidity(210)],
    ['open_plan', 'temperature', roomTemperature(220, 21.5)],
    ['open_plan', 'humidity', roomHumidity(222, 36)],
    ['open_plan', 'co2', carbonDioxide(224, atWork)],
    ['meeting_room_1', 'temperature', roomTemperature(230, 21, 0.9)],
    ['meeting_room_1', 'co2', carbonDioxide(232, atWork)],
    ['meeting_room_1', 'occupied', event(234, atWork, 0.6)],
    ['meeting_room_2', 'temperature', roomTemperature(240, 21.2, 0.9)],
    ['meeting_room_2', 'co2', carbonDioxide(242, atWork)],
    ['meeting_room_2', 'occupied', event(244, atWork, 0.45)],
    ['server_room', 'temperature', roomTemperature(250, 19.5, 0.2)],
    ['server_room', 'power', power(252, servers)],
    ['entrance', 'open', event(260, atWork, 0.25)],
    ['entrance', 'battery', battery(262)],
    ['ventilation', 'power', power(270, ventilation)],
    ['heating', 'supply_temperature', supplyTemperature(280, outdoor)],
    ['heating', 'energy', counter(inKilo(heating))],
    ['meter', 'energy', counter(inKilo(building))],
    ['ev_charger', 'power', charger(290, atWork, 11_000)]
  ]
}

/** A counter of kWh needs its demand in kW. */
const inKilo = <T extends { average: number }>(demand: T): T => ({
  ...demand,
  average: demand.average / 1000
})
