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

/** What a watch has seen. It is stored as JSON, so keys are short and missing ones are left out. */
export type WatchState = {
  /** The timestamp and the value of the newest reading. */
  t: UnixMs | undefined
  v: number | undefined
  /** The same of the reading before, if the condition needs it. */
  p: UnixMs | undefined
  q: number | undefined
  /** When the last reading arrived, in running time. */
  a: number | undefined
  /** Pending: when the condition began to be met. */
  b: UnixMs | undefined
  /** Pending: `for` runs from here, by the wall clock. */
  f: UnixMs | undefined
  /** Pending: `for` runs from here, in running time. */
  s: number | undefined
  /** Pending or open, and only silence meets the condition. */
  m: 1 | undefined
  /** Open: when it was raised. */
  o: UnixMs | undefined
}

export type Transition =
  | { kind: 'raised'; at: UnixMs; value: number | null }
  | { kind: 'cleared'; at: UnixMs }

const none: readonly Transition[] = []

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

/** The state from its JSON. All states have the same keys in the same order, which is fast. */
export const stateOf = ({ t, v, p, q, a, b, f, s, m, o }: Partial<WatchState>): WatchState => ({
  ...{ t, v, p, q, a, b, f, s, m, o }
})

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
  if (state.t !== undefined && timestamp < state.t) {
    return state.m === undefined ? none : end(state, timestamp)
  }
  const isMet = meets(watch, state, reading)
  if (watch.condition.hasBefore) {
    state.p = state.t
    state.q = state.v
  } else if (state.p !== undefined) {
    state.p = undefined
    state.q = undefined
  }
  state.t = timestamp
  state.v = value
  if (!isMet) return end(state, timestamp)
  state.m = undefined
  if (state.o !== undefined) return none
  if (state.b === undefined) {
    state.b = timestamp
    state.f = moment.now
  }
  return timestamp >= state.b + watch.forMs ? raise(watch, state, state.b) : none
}

function meets({ condition, hours }: Watch, state: WatchState, reading: Reading): boolean {
  if (hours && !hours.has(reading.timestamp)) return false
  const before = condition.hasBefore ? newestOf(state) : NO_READING
  return condition.silenceNeeded(reading, before, state.o !== undefined) === 0
}

/** The condition is no longer met. */
function end(state: WatchState, at: UnixMs): readonly Transition[] {
  const wasOpen = state.o !== undefined
  if (wasOpen || state.b !== undefined) {
    state.b = undefined
    state.f = undefined
    state.s = undefined
    state.m = undefined
    state.o = undefined
  }
  return wasOpen ? [{ kind: 'cleared', at }] : none
}

/** Nothing is raised outside the hours. What was full before them is raised when they begin. */
function raise({ forMs, hours }: Watch, state: WatchState, begin: UnixMs): readonly Transition[] {
  const full = (begin + forMs) as UnixMs
  const at = hours ? hours.next(full) : full
  state.b = undefined
  state.f = undefined
  state.s = undefined
  state.o = at
  return [{ kind: 'raised', at, value: state.v ?? null }]
}

/** What the clock changes. Call it when `nextLook` says so; at other times it does no harm. */
export function look(watch: Watch, state: WatchState, moment: Moment): readonly Transition[] {
  if (state.o !== undefined) return none
  if (state.b !== undefined && !isStillMet(watch, state, moment)) end(state, moment.now)
  if (state.b === undefined) begin(watch, state, moment)
  if (state.b === undefined) return none
  if (state.s !== undefined) {
    const late = moment.running - state.s - watch.forMs
    if (late < 0) return none
    // It is full. Only the hours are still missing, and they follow the wall clock.
    state.f = (moment.now - late - watch.forMs) as UnixMs
    state.s = undefined
  }
  return moment.now >= fullAt(watch, state.f ?? moment.now) ? raise(watch, state, state.b) : none
}

const fullAt = ({ forMs, hours }: Watch, from: UnixMs): UnixMs => {
  const full = (from + forMs) as UnixMs
  return hours ? hours.next(full) : full
}

/** The condition may have changed since the last reading. Other hours keep what is pending. */
function isStillMet({ condition }: Watch, state: WatchState, { running }: Moment): boolean {
  const needed = condition.silenceNeeded(newestOf(state), beforeOf(state), false)
  return state.m === undefined ? needed === 0 : running - (state.a ?? running) >= needed
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
  if (!watch.hasSilence || state.a === undefined) return undefined
  const counts = state.t !== undefined && (!hours || hours.has(state.t))
  const newest = counts ? newestOf(state) : NO_READING
  const needed = condition.silenceNeeded(newest, beforeOf(state), false)
  // A reading that was judged by another condition does not count before the next one comes.
  const ms = needed === 0 ? condition.silenceNeeded(NO_READING, NO_READING, false) : needed
  return ms === Infinity ? undefined : state.a + ms
}

const newestOf = ({ t, v }: WatchState): Reading =>
  t === undefined || v === undefined ? NO_READING : { timestamp: t, value: v }

const beforeOf = ({ p, q }: WatchState): Reading =>
  p === undefined || q === undefined ? NO_READING : { timestamp: p, value: q }

/** When to look at the clock. Undefined: only a reading can change something. */
export function nextLook(
  watch: Watch,
  state: WatchState
): { now: UnixMs } | { running: number } | undefined {
  if (state.o !== undefined) return undefined
  if (state.b === undefined) {
    const since = silentFrom(watch, state)
    return since === undefined ? undefined : { running: since }
  }
  if (state.s !== undefined) return { running: state.s + watch.forMs }
  const now = fullAt(watch, state.f ?? state.b)
  return now === Infinity ? undefined : { now }
}
