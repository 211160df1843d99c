import { MINUTE, type UnixMs } from '../../lib/unix-time.ts'

/** The rate is the mean of so many whole minutes. */
const MINUTES = 5

type Beats = { minute: number; counts: number[] }

/** How many values an installation gets per minute. */
export class Pulse {
  readonly #installations = new Map<number, Beats>()
  readonly #began: number

  constructor(now: UnixMs) {
    this.#began = minuteOf(now)
  }

  beat(installationId: number, now: UnixMs): void {
    const beats = this.#at(installationId, now)
    beats.counts[0] = (beats.counts[0] ?? 0) + 1
  }

  /** In the first minute after the start: the values so far. */
  perMinute(installationId: number, now: UnixMs): number {
    if (!this.#installations.has(installationId)) return 0
    const { counts } = this.#at(installationId, now)
    const whole = Math.min(minuteOf(now) - this.#began, MINUTES)
    if (whole <= 0) return counts[0] ?? 0
    return counts.slice(1, whole + 1).reduce((sum, count) => sum + count, 0) / whole
  }

  forget(installationId: number): void {
    this.#installations.delete(installationId)
  }

  /** The counts of the current minute and of those before it, newest first. */
  #at(installationId: number, now: UnixMs): Beats {
    const minute = minuteOf(now)
    let beats = this.#installations.get(installationId)
    if (!beats) {
      beats = { minute, counts: [0] }
      this.#installations.set(installationId, beats)
    }
    // A clock that was put back stays in the minute that was reached.
    if (minute <= beats.minute) return beats
    for (let gone = Math.min(minute - beats.minute, MINUTES + 1); gone > 0; gone--) {
      beats.counts.unshift(0)
    }
    beats.counts.length = Math.min(beats.counts.length, MINUTES + 1)
    beats.minute = minute
    return beats
  }
}

const minuteOf = (time: UnixMs): number => Math.floor(time / MINUTE)
