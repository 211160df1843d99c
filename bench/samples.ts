import { DAY, HOUR, MINUTE } from '../src/lib/unix-time.ts'

/**
 * Every topic has one sample a minute. `even`: always at the same moment of the minute, which
 * differs between topics. `live`: the clock of the device is up to 200 ms off. `regular`: on the
 * minute.
 */
export type Rhythm = 'even' | 'live' | 'regular'

/** Samples of some topics from one moment to another (exclusive), both whole minutes. */
export type Recording = { topics: number; from: number; to: number; rhythm: Rhythm }

const PHASES = 500
const PHASE_MS = 100
const JITTER_MS = 200
const LATE_SHARE = 0.05

/** So many independent numbers belong to each minute of a series. */
const DRAWS = 8
const draw = { value: 0, valueToo: 1, jitter: 2, delay: 3, isLate: 4, lateness: 5 }

export const topicOf = (client_id: number, topic: number): string =>
  `${client_id}/obj/room_${topic}/temperature`

/** `series` is the number of the topic among all topics of the recording. */
export function timestampAt(rhythm: Rhythm, series: number, minute: number): number {
  if (rhythm === 'regular') return minute
  const even = minute + (series % PHASES) * PHASE_MS
  if (rhythm === 'even') return even
  const jitter = Math.round((2 * noise(series, minute, draw.jitter) - 1) * JITTER_MS)
  return even + 2 * JITTER_MS + jitter
}

/** How many series before this one have their samples at the same moments, if they are even. */
export const countAt = (series: number): number => Math.floor(series / PHASES)

/** A temperature with two decimals: a wave over the day, and noise of up to 0.1. */
export function valueAt(series: number, minute: number): number {
  const wave = 20 + 3 * Math.sin((2 * Math.PI * minute) / DAY + series)
  const twice = noise(series, minute, draw.value) + noise(series, minute, draw.valueToo)
  return Math.round(100 * wave + 10 * (twice - 1)) / 100
}

/** When a sample of `live` arrives: soon, and one of twenty up to an hour late. */
export function arrivalAt(series: number, minute: number): number {
  const delay = 5 + Math.floor(100 * noise(series, minute, draw.delay))
  const isLate = noise(series, minute, draw.isLate) < LATE_SHARE
  const lateness = isLate ? MINUTE + Math.floor(HOUR * noise(series, minute, draw.lateness)) : 0
  return timestampAt('live', series, minute) + delay + lateness
}

/** From 0 to 1, and always the same for the same arguments. */
function noise(series: number, minute: number, which: number): number {
  const place = (minute / MINUTE) * DRAWS + which
  let mixed = Math.imul(series + 1, 0x9e3779b1) ^ Math.imul(place, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}
