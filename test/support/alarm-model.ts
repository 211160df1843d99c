import type { Hours, RuleDefinition, When } from '../../src/lib/alarm/rule.ts'
import { HOUR, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'

/**
 * What a rule must say, written from the words of its documentation and without regard to cost:
 * time passes in ticks, and every tick sees the whole list of readings again.
 */

export type Arrival = { timestamp: UnixMs; value: number }
/** `arrivals` come first, then the clock. Silence is held in a tick that does not run. */
export type Tick = { now: UnixMs; runs: boolean; arrivals: readonly Arrival[] }
export type ModelAlarm = { raised: UnixMs; value: number | null; cleared: UnixMs | null }

type Numbers = { when: When; hysteresis: number; forMs: number; hours: Hours | null; zone: string }

const clocks = new Map<string, Intl.DateTimeFormat>()
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** Whether a clock in the zone shows a time of the hours. */
export function showsHours({ days, from, to }: Hours, zone: string, moment: UnixMs): boolean {
  let clock = clocks.get(zone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
    })
    clocks.set(zone, clock)
  }
  const parts = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, value]))
  const today = weekdays.indexOf(parts.get('weekday') ?? '')
  const time = `${parts.get('hour')}:${parts.get('minute')}`
  const yesterday = (today + 6) % 7
  if (from < to) return days.includes(today) && time >= from && time < to
  return (days.includes(today) && time >= from) || (days.includes(yesterday) && time < to)
}

/** All alarms that the rule raised up to the last tick. */
export function modelAlarms(rule: Numbers, ticks: readonly Tick[], tickMs: number): ModelAlarm[] {
  const { hours, zone, forMs } = rule
  const within = (moment: UnixMs) => hours === null || showsHours(hours, zone, moment)
  const alarms: ModelAlarm[] = []
  const arrived: { reading: Arrival; running: number }[] = []
  let open: ModelAlarm | undefined
  let pending: { begin: UnixMs; clock: 'wall' | 'running'; since: number } | undefined
  let running = 0

  /** Each reading that was the newest when it arrived. */
  const judged = () =>
    arrived
      .map(({ reading }) => reading)
      .filter(({ timestamp }, i, all) =>
        all.slice(0, i).every((earlier) => earlier.timestamp <= timestamp)
      )
  const isMet = () => {
    const [newest, before] = judged().reverse()
    const last = arrived.at(-1)
    const silence = last === undefined ? -1 : running - last.running
    const counts = newest && within(newest.timestamp) ? newest : undefined
    return holds(rule.when, { newest: counts, before, silence, isOpen: open !== undefined }, rule)
  }
  const raise = (begin: UnixMs, value: number | null) => {
    let raised = unixMs(begin + forMs)
    while (!within(raised)) raised = unixMs(raised + tickMs)
    open = { raised, value, cleared: null }
    alarms.push(open)
    pending = undefined
  }

  for (const { now, runs, arrivals } of ticks) {
    if (runs) running += tickMs
    for (const reading of arrivals) {
      const newest = judged().at(-1)
      const isLate = newest !== undefined && reading.timestamp < newest.timestamp
      arrived.push({ reading, running })
      if (isMet()) {
        if (isLate || open) continue
        pending ??= { begin: reading.timestamp, clock: 'wall', since: now }
        if (reading.timestamp >= pending.begin + forMs) raise(pending.begin, reading.value)
        continue
      }
      pending = undefined
      if (open) open.cleared = reading.timestamp
      open = undefined
    }
    if (open || !isMet()) continue
    pending ??= { begin: now, clock: 'running', since: running }
    const passed = (pending.clock === 'wall' ? now : running) - pending.since
    if (passed >= forMs && within(now)) raise(pending.begin, judged().at(-1)?.value ?? null)
  }
  return alarms
}

type Seen = {
  newest: Arrival | undefined
  before: Arrival | undefined
  silence: number
  isOpen: boolean
}

const numberIn = (bound: unknown): number => bound as number

function holds(when: When, seen: Seen, rule: Numbers): boolean {
  if ('all' in when) return when.all.every((part) => holds(part, seen, rule))
  if ('any' in when) return when.any.some((part) => holds(part, seen, rule))
  if ('silent_for' in when) {
    return seen.silence >= Number.parseInt(String(when.silent_for), 10) * 60_000
  }
  const { newest, before } = seen
  if (!newest) return false
  const { value } = newest
  const slack = seen.isOpen ? rule.hysteresis : 0
  if ('above' in when) return value > numberIn(when.above) - slack
  if ('below' in when) return value < numberIn(when.below) + slack
  if ('outside' in when) {
    const [low, high] = when.outside.map(numberIn) as [number, number]
    return !(value >= low + slack && value <= high - slack)
  }
  if ('equals' in when) return value === numberIn(when.equals)
  if (!before) return false
  const change = Math.abs(value - before.value)
  if ('changed_by' in when) return change >= numberIn(when.changed_by)
  const ms = newest.timestamp - before.timestamp
  return ms > 0 && (change / ms) * HOUR > numberIn(when.rate_per_hour)
}

export const modelRule = (
  { when, hysteresis, schedule }: RuleDefinition,
  forMs: number,
  zone: string
): Numbers => ({ when, hysteresis, forMs, hours: schedule, zone })
