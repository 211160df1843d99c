import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNewer } from '../../src/history/newest.ts'
import { DAY, HOUR, MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'

const now = unixMs(Date.UTC(2026, 0))

test('isNewer', () => {
  const at = (after: number, id: number) => ({ timestamp: unixMs(now + after), id })
  const f = (sample: [number, number], held: [number, number], want: boolean) =>
    assert.equal(isNewer(at(...sample), at(...held), now), want, `${sample} after ${held}`)

  f([0, 2], [-SECOND, 1], true)
  f([-SECOND, 2], [0, 1], false)
  f([0, 2], [0, 1], true)
  f([0, 1], [0, 2], false)
  // The clock of the device is some seconds ahead.
  f([SECOND, 2], [2 * SECOND, 1], false)
  // A clock that was a day ahead has been corrected.
  f([0, 2], [DAY, 1], true)
  f([-10 * MINUTE, 2], [DAY, 1], true)
  // Late samples say nothing about now.
  f([-2 * HOUR, 2], [DAY, 1], false)
  f([DAY, 2], [DAY - SECOND, 1], true)
  f([DAY - SECOND, 2], [DAY, 1], false)
  f([DAY, 2], [0, 1], true)
})
