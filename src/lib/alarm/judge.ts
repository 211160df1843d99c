import type { UnixMs } from '../unix-time.ts'
import {
  type Condition,
  type MetaOf,
  NO_READING,
  needsMeta,
  type Reading,
  resolve
} from './condition.ts'
import { lastingOf } from './duration.ts'
import { OpenHours } from './hours.ts'
import type { RuleDefinition } from './rule.ts'

/** A rule on one topic with all numbers known. */
export type Watch = {
  condition: Condition
  forMs: number
  hours: OpenHours | null
  /** Silence is part of the condition. */
  hasSilence: boolean
}

/**
 * `now` is the wall clock, and `running` is `now` without the time in which silence was held. Call
 * `look` before a hold begins, so that the moment at which silence became full is exact.
 */
export type Moment = { now: UnixMs; running: number }

/**
 * What a watch has seen. NaN is nothing: V8 changes a number that always is one in place, and makes
 * a new object for each number in a field that may be undefined as well.
 */
export type WatchState = {
  /** The timestamp and the value of the newest reading. */
  t: UnixMs
  v: number
  /** The same of the reading before, if the condition needs it. */
  p: UnixMs
  q: number
  /** When the last reading arrived, in running time. */
  a: number
  /** Pending: when the condition began to be met. */
  b: UnixMs
  /** Pending: `for` runs from here, by the wall clock. */
  f: UnixMs
  /** Pending: `for` runs from here, in running time. */
  s: number
  /** 1: pending or open, and only silence meets the condition. */
  m: 0 | 1
  /** Open: when it was raised. */
  o: UnixMs
}
/** As JSON. Keys are short, and those without anything are left out. */
export type StoredState = { [Key in keyof WatchState]?: number }

export type Transition =
  | { kind: 'raised'; at: UnixMs; value: number | null }
  | { kind: 'cleared'; at: UnixMs }

const none: readonly Transition[] = []
const NOTHING = Number.NaN as UnixMs

export const isOpen = ({ o }: WatchState): boolean => !Number.isNaN(o)
export const isPending = ({ b }: WatchState): boolean => !Number.isNaN(b)

/**
 * Compiles a definition that `check` found right. The answer makes the watch of a topic from the
 * metadata of its function. Without metadata in the rule all topics have the same watch.
 */
export function compileRule(definition: RuleDefinition, zone: string): (metaOf: MetaOf) => Watch {
  const { when, hysteresis, schedule } = definition
  const forMs = lastingOf(definition.for) ?? 0
  const hours = schedule && new OpenHours(schedule, zone)
  const watchFor = (metaOf: MetaOf): Watch => {
    const condition = resolve(when, hysteresis, metaOf)
    return { condition, forMs, hours, hasSilence: condition.shortestSilence < Infinity }
  }
  if (needsMeta(when)) return watchFor
  const watch = watchFor(() => undefined)
  return () => watch
}

export const newState = (): WatchState => stateOf({})

/** All states have the same keys in the same order, which is fast. */
export const stateOf = (stored: StoredState): WatchState => ({
  t: (stored.t ?? NOTHING) as UnixMs,
  v: stored.v ?? NOTHING,
  p: (stored.p ?? NOTHING) as UnixMs,
  q: stored.q ?? NOTHING,
  a: stored.a ?? NOTHING,
  b: (stored.b ?? NOTHING) as UnixMs,
  f: (stored.f ?? NOTHING) as UnixMs,
  s: stored.s ?? NOTHING,
  m: stored.m === 1 ? 1 : 0,
  o: (stored.o ?? NOTHING) as UnixMs
})

const numbers = ['t', 'v', 'p', 'q', 'a', 'b', 'f', 's', 'o'] as const

export function storedState(state: WatchState): StoredState {
  const stored: StoredState = {}
  for (const key of numbers) if (!Number.isNaN(state[key])) stored[key] = state[key]
  if (state.m === 1) stored.m = 1
  return stored
}

/** The topic sent something before anybody watched it: from here on it can be silent. */
export function arrive(state: WatchState, { running }: Moment): void {
  state.a = running
}

/**
 * Judges a reading that arrived at the moment, and changes the state. It does not look at the
 * clock: a reading ends what the clock would have raised.
 */
export function judge(
  watch: Watch,
  state: WatchState,
  reading: Reading,
  moment: Moment
): readonly Transition[] {
  state.a = moment.running
  const { timestamp, value } = reading
  if (timestamp < state.t) return endSilence(watch, state, timestamp)
  const before = watch.condition.hasBefore ? newestOf(state) : NO_READING
  const isMet = meets(watch, state, reading, before)
  if (watch.condition.hasBefore) {
    state.p = state.t
    state.q = state.v
  } else if (!Number.isNaN(state.p)) {
    state.p = NOTHING
    state.q = NOTHING
  }
  state.t = timestamp
  state.v = value
  if (!isMet) return end(state, timestamp)
  state.m = 0
  if (isOpen(state)) return none
  if (!isPending(state)) {
    state.b = timestamp
    state.f = moment.now
  }
  return timestamp >= state.b + watch.forMs ? raise(watch, state, state.b) : none
}

/** Hysteresis may keep an alarm open that only silence could raise. */
function endSilence(watch: Watch, state: WatchState, at: UnixMs): readonly Transition[] {
  if (state.m === 0) return none
  const isKept = isOpen(state) && meets(watch, state, newestOf(state), beforeOf(state))
  if (!isKept) return end(state, at)
  state.m = 0
  return none
}

/** Without silence. */
const meets = (
  { condition, hours }: Watch,
  state: WatchState,
  reading: Reading,
  before: Reading
): boolean =>
  (!hours || hours.has(reading.timestamp)) &&
  condition.silenceNeeded(reading, before, isOpen(state)) === 0

/** The condition is no longer met. */
function end(state: WatchState, at: UnixMs): readonly Transition[] {
  const wasOpen = isOpen(state)
  if (wasOpen || isPending(state)) {
    state.b = NOTHING
    state.f = NOTHING
    state.s = NOTHING
    state.m = 0
    state.o = NOTHING
  }
  return wasOpen ? [{ kind: 'cleared', at }] : none
}

/** Nothing is raised outside the hours. What was full before them is raised when they begin. */
function raise({ forMs, hours }: Watch, state: WatchState, begin: UnixMs): readonly Transition[] {
  const full = (begin + forMs) as UnixMs
  const at = hours ? hours.next(full) : full
  state.b = NOTHING
  state.f = NOTHING
  state.s = NOTHING
  state.o = at
  return [{ kind: 'raised', at, value: Number.isNaN(state.v) ? null : state.v }]
}

/** What the clock changes. Call it when `nextLook` says so; at other times it does no harm. */
export function look(watch: Watch, state: WatchState, moment: Moment): readonly Transition[] {
  if (isOpen(state)) return none
  if (isPending(state) && !isStillMet(watch, state, moment)) end(state, moment.now)
  if (!isPending(state)) begin(watch, state, moment)
  if (!isPending(state)) return none
  if (!Number.isNaN(state.s)) {
    const late = moment.running - state.s - watch.forMs
    if (late < 0) return none
    // It is full. Only the hours are still missing, and they follow the wall clock.
    state.f = (moment.now - late - watch.forMs) as UnixMs
    state.s = NOTHING
  }
  const from = Number.isNaN(state.f) ? moment.now : state.f
  return moment.now >= fullAt(watch, from) ? raise(watch, state, state.b) : none
}

const fullAt = ({ forMs, hours }: Watch, from: UnixMs): UnixMs => {
  const full = (from + forMs) as UnixMs
  return hours ? hours.next(full) : full
}

/** The condition may have changed since the last reading. Other hours keep what is pending. */
function isStillMet({ condition }: Watch, state: WatchState, { running }: Moment): boolean {
  const needed = condition.silenceNeeded(newestOf(state), beforeOf(state), false)
  if (state.m === 0) return needed === 0
  return (Number.isNaN(state.a) ? 0 : running - state.a) >= needed
}

/** Only silence begins by the clock. */
function begin(watch: Watch, state: WatchState, { now, running }: Moment): void {
  const since = silentFrom(watch, state)
  if (since === undefined || running < since) return
  state.b = (now - (running - since)) as UnixMs
  state.s = since
  state.m = 1
}

/** The running time at which silence meets the condition, if no reading comes. */
function silentFrom(watch: Watch, state: WatchState): number | undefined {
  const { condition, hours } = watch
  if (!watch.hasSilence || Number.isNaN(state.a)) return undefined
  const counts = !Number.isNaN(state.t) && (!hours || hours.has(state.t))
  const newest = counts ? newestOf(state) : NO_READING
  const needed = condition.silenceNeeded(newest, beforeOf(state), false)
  // A reading that was judged by another condition does not count before the next one comes.
  const ms = needed === 0 ? condition.silenceNeeded(NO_READING, NO_READING, false) : needed
  return ms === Infinity ? undefined : state.a + ms
}

const newestOf = ({ t, v }: WatchState): Reading => ({ timestamp: t, value: v })

const beforeOf = ({ p, q }: WatchState): Reading => ({ timestamp: p, value: q })

/** When to look at the clock. Undefined: only a reading can change something. */
export function nextLook(
  watch: Watch,
  state: WatchState
): { now: UnixMs } | { running: number } | undefined {
  if (isOpen(state)) return undefined
  if (!isPending(state)) {
    const since = silentFrom(watch, state)
    return since === undefined ? undefined : { running: since }
  }
  if (!Number.isNaN(state.s)) return { running: state.s + watch.forMs }
  const now = fullAt(watch, Number.isNaN(state.f) ? state.b : state.f)
  return now === Infinity ? undefined : { now }
}
