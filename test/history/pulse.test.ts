import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pulse } from '../../src/history/latest/pulse.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'

const start = 1_700_000_040_000 - (1_700_000_040_000 % MINUTE)
const at = (minutes: number) => unixMs(start + minutes * MINUTE)

/** Beats at these minutes since the start, and the rate at a later one. */
const rate = (beats: readonly number[], now: number): number => {
  const pulse = new Pulse(at(0))
  for (const minute of beats) pulse.beat(1, at(minute))
  return pulse.perMinute(1, at(now))
}

test('the rate is the mean of the last five whole minutes, or of those since the start', () => {
  const rows: [beats: number[], now: number, rate: number][] = [
    [[], 0, 0],
    [[0, 0.1, 0.2], 0.5, 3],
    [[0, 0.1, 0.2], 1, 3],
    [[0, 0.1, 0.2], 2, 1.5],
    [[0, 1, 2, 3, 4, 5], 5.5, 1],
    [[0, 1, 2, 3, 4, 5], 6, 1],
    [[1, 1.5], 6.9, 0.4],
    [[1, 1.5], 7, 0],
    [[1, 1.5], 1000, 0],
    [[9, 9, 9, 9, 9], 10, 1],
    [[10, 3], 11, 0.4]
  ]
  for (const [beats, now, expected] of rows) {
    assert.equal(rate(beats, now), expected, `${beats} at ${now}`)
  }
})

test('an installation that is forgotten has no rate', () => {
  const pulse = new Pulse(at(0))
  pulse.beat(1, at(0))
  pulse.forget(1)
  assert.equal(pulse.perMinute(1, at(1)), 0)
})
