import { firstIndex } from '../first-index.ts'
import type { UnixMs } from '../unix-time.ts'
import { NO_READING, type Reading } from './condition.ts'
import {
  isOpen as isOpenNow,
  isPending,
  judge,
  look,
  newState,
  nextLook,
  type Transition,
  type Watch
} from './judge.ts'

/** An alarm that a rule would have raised. */
export type TriedAlarm = { raised_at: UnixMs; cleared_at: UnixMs | null; value: number | null }

/** Of one topic. A value that flaps each second for a month would raise a million. */
export const MAX_TRIED_ALARMS = 10_000

/**
 * Judges the stored values of one topic as if each had arrived at its timestamp. Readings come in
 * the order of their timestamps, in as many pieces as the caller likes. Those before `from` are
 * only seen: alarms that were cleared before `from` are left out.
 */
export class Replay {
  readonly #watch: Watch
  readonly #from: UnixMs
  readonly #to: UnixMs
  readonly #state = newState()
  readonly #alarms: TriedAlarm[] = []
  #open: TriedAlarm | undefined
  /** Used again and again, because a new object for each reading is dear. */
  readonly #reading: Reading = { ...NO_READING }
  readonly #before: Reading = { ...NO_READING }

  /** `to` is exclusive and not after the wall clock: silence that is yet to come is not known. */
  constructor(watch: Watch, { from, to }: { from: UnixMs; to: UnixMs }) {
    this.#watch = watch
    this.#from = from
    this.#to = to
  }

  /** How many alarms have ended so far. */
  get count(): number {
    return this.#alarms.length
  }

  /** There may be more alarms than it keeps. What follows is not judged. */
  get isFull(): boolean {
    return this.#alarms.length >= MAX_TRIED_ALARMS
  }

  add(timestamp: UnixMs, value: number): void {
    if (timestamp >= this.#to || this.isFull) return
    this.#lookUntil(timestamp)
    const moment = { now: timestamp, running: timestamp }
    this.#note(judge(this.#watch, this.#state, { timestamp, value }, moment))
  }

  /** The same for many readings. Those that change nothing are passed over. */
  addAll(times: Float64Array, values: Float64Array): void {
    const end = firstIndex(times.length, (i) => (times[i] as number) < this.#to)
    for (let i = 0; i < end && !this.isFull; i++) {
      const next = this.#passOver(times, values, i, end)
      if (next > i) i = next - 1
      this.add(times[i] as UnixMs, values[i] as number)
    }
  }

  /**
   * A reading that leaves the rule as it is (not met, pending or open) changes only what was seen
   * last. Answers the place of the first one that does more. The one before it is still to be
   * judged, which leaves the state as if all had been.
   */
  #passOver(times: Float64Array, values: Float64Array, begin: number, end: number): number {
    const { condition, hours, forMs } = this.#watch
    const state = this.#state
    if (Number.isNaN(state.a) || state.m === 1) return begin
    const isOpen = isOpenNow(state)
    const isIdle = !isOpen && !isPending(state)
    const full = isOpen ? Infinity : isIdle ? forMs : state.b + forMs
    let [reading, before, last] = [this.#reading, this.#before, state.a]
    before.timestamp = state.t
    before.value = state.v
    let i = begin
    for (; i < end; i++) {
      const time = times[i] as UnixMs
      reading.timestamp = time
      reading.value = values[i] as number
      const isMet = condition.silenceNeeded(reading, before, isOpen) === 0
      if (isMet === isIdle) break
      if (isIdle ? time - last > condition.shortestSilence : time >= full) break
      if (hours && isMet && !hours.has(time)) break
      last = time
      ;[reading, before] = [before, reading]
    }
    if (i > begin + 1) {
      state.t = times[i - 2] as UnixMs
      state.v = values[i - 2] as number
      state.a = state.t
    }
    return i
  }

  /** Call it once, after the last reading. */
  finish(): TriedAlarm[] {
    if (!this.isFull) this.#lookUntil(this.#to)
    if (this.#open) this.#alarms.push(this.#open)
    return this.#alarms
  }

  /** A reading that arrives at the very moment comes before the clock. */
  #lookUntil(end: UnixMs): void {
    const { a: last } = this.#state
    const waited = Number.isNaN(last) ? 0 : end - last
    if (!isPending(this.#state) && waited <= this.#watch.condition.shortestSilence) return
    for (;;) {
      const next = nextLook(this.#watch, this.#state)
      if (next === undefined) return
      const at = ('now' in next ? next.now : next.running) as UnixMs
      if (at >= end) return
      this.#note(look(this.#watch, this.#state, { now: at, running: at }))
    }
  }

  #note(transitions: readonly Transition[]): void {
    for (const change of transitions) {
      if (change.kind === 'raised') {
        this.#open = { raised_at: change.at, cleared_at: null, value: change.value }
      } else if (this.#open) {
        this.#open.cleared_at = change.at
        if (change.at >= this.#from) this.#alarms.push(this.#open)
        this.#open = undefined
      }
    }
  }
}
