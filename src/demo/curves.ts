import { DAY, HOUR, MINUTE } from '../lib/unix-time.ts'

/** The value at any moment. It is always the same, so that history and live data fit together. */
export type Curve = (ms: number) => number

/**
 * A consumption: its average, and how much the season and the hour change it. Both together are
 * below 1.
 */
export type Demand = { average: number; yearly: number; daily: number; peakHour: number }

const YEAR_MS = 365.25 * DAY
const FULL_CIRCLE = 2 * Math.PI
/** All meters showed zero at this time: 2021-01-01. */
const METERS_SINCE_MS = 1_609_459_200_000
/** Winter time in Stockholm. A curve does not need summer time. */
const ZONE_OFFSET_MS = HOUR
const WARMEST_DAY_MS = 200 * DAY
/** 1970-01-01 was a Thursday. */
const DAYS_AFTER_MONDAY = 3

/** A pseudo-random number in [0, 1) that depends only on its arguments. */
function chance(seed: number, n: number): number {
  let x = n ^ Math.imul(seed, 0x9e3779b1)
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32
}

/** Moves smoothly between -1 and 1, with a turn about every `period`. */
function drift(seed: number, ms: number, period: number): number {
  const at = ms / period
  const step = Math.floor(at)
  const rest = at - step
  const from = chance(seed, step)
  return 2 * (from + (chance(seed, step + 1) - from) * rest * rest * (3 - 2 * rest)) - 1
}

/** 1 in the middle of summer, -1 in the middle of winter. */
const season = (ms: number): number => Math.cos((FULL_CIRCLE * (ms - WARMEST_DAY_MS)) / YEAR_MS)

/** 1 at the peak hour, -1 twelve hours later. */
const dayWave = (ms: number, peakHour: number): number =>
  Math.cos((FULL_CIRCLE * (ms + ZONE_OFFSET_MS - peakHour * HOUR)) / DAY)

const hourOf = (ms: number): number => ((ms + ZONE_OFFSET_MS) % DAY) / HOUR
const isWeekend = (ms: number): boolean =>
  (Math.floor((ms + ZONE_OFFSET_MS) / DAY) + DAYS_AFTER_MONDAY) % 7 >= 5

const between = (low: number, high: number, value: number): number =>
  Math.min(high, Math.max(low, value))

export const outdoorTemperature =
  (seed: number): Curve =>
  (ms) =>
    7 +
    10 * season(ms) +
    (3 + season(ms)) * dayWave(ms, 15) +
    5 * drift(seed, ms, 3 * DAY) +
    0.6 * drift(seed + 1, ms, HOUR)

export const outdoorHumidity =
  (seed: number): Curve =>
  (ms) =>
    between(
      20,
      100,
      76 -
        8 * season(ms) -
        14 * dayWave(ms, 15) +
        12 * drift(seed, ms, DAY) +
        drift(seed + 1, ms, HOUR)
    )

export const roomTemperature =
  (seed: number, mean: number, swing = 0.6): Curve =>
  (ms) =>
    mean +
    swing * dayWave(ms, 18) +
    0.8 * Math.max(0, season(ms)) +
    0.5 * drift(seed, ms, 5 * HOUR) +
    0.1 * drift(seed + 1, ms, 10 * MINUTE)

export const roomHumidity =
  (seed: number, mean = 40): Curve =>
  (ms) =>
    between(
      15,
      90,
      mean + 10 * season(ms) + 5 * drift(seed, ms, 8 * HOUR) + drift(seed + 1, ms, HOUR)
    )

/** How probable it is that somebody is there, 0 to 1. */
export const atHome: Curve = (ms) => {
  const hour = hourOf(ms)
  if (hour < 7 || hour >= 17) return 0.9
  return isWeekend(ms) ? 0.6 : 0.15
}

export const atWork: Curve = (ms) => {
  const hour = hourOf(ms)
  if (isWeekend(ms) || hour < 7 || hour >= 18) return 0
  return hour < 9 || hour >= 16 ? 0.4 : 0.9
}

export const carbonDioxide =
  (seed: number, presence: Curve): Curve =>
  (ms) => {
    // CO2 stays for a while after people leave.
    const people = (presence(ms) + presence(ms - HOUR / 2) + presence(ms - HOUR)) / 3
    return (
      420 + people * (420 + 180 * drift(seed, ms, 2 * HOUR)) + 12 * drift(seed + 1, ms, 20 * MINUTE)
    )
  }

/** 1 for a minute at a time; `perMinute` is its probability while everybody is there. */
export const event =
  (seed: number, presence: Curve, perMinute: number): Curve =>
  (ms) =>
    chance(seed, Math.floor(ms / MINUTE)) < presence(ms) * perMinute ? 1 : 0

/** Watts. */
export const power =
  (seed: number, demand: Demand): Curve =>
  (ms) => {
    const { average, yearly, daily, peakHour } = demand
    const usual = 1 - yearly * season(ms) + daily * dayWave(ms, peakHour)
    return (
      average * usual * (1 + 0.3 * drift(seed, ms, 40 * MINUTE) + 0.1 * drift(seed + 1, ms, MINUTE))
    )
  }

/** The integral of the demand per hour. It fits the power and never goes down. */
export const counter =
  ({ average, yearly, daily, peakHour }: Demand): Curve =>
  (ms) => {
    const total = (at: number) =>
      at -
      ((yearly * YEAR_MS) / FULL_CIRCLE) *
        Math.sin((FULL_CIRCLE * (at - WARMEST_DAY_MS)) / YEAR_MS) +
      ((daily * DAY) / FULL_CIRCLE) *
        Math.sin((FULL_CIRCLE * (at + ZONE_OFFSET_MS - peakHour * HOUR)) / DAY)
    return (average * (total(ms) - total(METERS_SINCE_MS))) / HOUR
  }

/** In watts: the height of the sun, with some clouds. */
export const solarPower =
  (seed: number, peak: number): Curve =>
  (ms) => {
    const height = 0.45 * season(ms) + dayWave(ms, 12) - 0.15
    const clouds = 0.65 + 0.35 * drift(seed, ms, 6 * HOUR) * drift(seed + 1, ms, 15 * MINUTE)
    return peak * between(0, 1, height / 1.3) * clouds
  }

/** The colder it is outside, the warmer the supply. */
export const supplyTemperature =
  (seed: number, outdoor: Curve): Curve =>
  (ms) =>
    between(22, 55, 40 - 0.7 * outdoor(ms)) + drift(seed, ms, 20 * MINUTE)

/** In percent: it gets empty in about fourteen months, then somebody replaces it. */
export const battery =
  (seed: number): Curve =>
  (ms) => {
    const life = 430 * DAY
    return 100 - (85 * ((ms + chance(seed, 0) * life) % life)) / life
  }

/** In watts: active for a few hours at a time, else 0. */
export const charger =
  (seed: number, presence: Curve, watts: number): Curve =>
  (ms) =>
    chance(seed, Math.floor(ms / (2 * HOUR))) < 0.7 * presence(ms)
      ? watts * (1 + 0.02 * drift(seed + 1, ms, 5 * MINUTE))
      : 0

export const mainsVoltage =
  (seed: number): Curve =>
  (ms) =>
    231 - 2 * dayWave(ms, 19) + 2 * drift(seed, ms, 30 * MINUTE) + 0.5 * drift(seed + 1, ms, MINUTE)
