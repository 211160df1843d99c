import { isPending, judge, look, nextLook } from '../../lib/alarm/judge.ts'
import type { Clock } from '../../lib/clock.ts'
import { Turns } from '../../lib/turns.ts'
import { HOUR, SECOND, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { DueTimes } from './due-times.ts'
import { HeldClock } from './held-clock.ts'
import { type HeldPartition, partitionOf } from './partitions.ts'
import type { Part, RuleWatch, Watched } from './watched.ts'

/** A value as the watcher sees it. `id` is 0 for imported values: no cursor knows them. */
export type Value = {
  id: number
  installation_id: number
  topic: string
  timestamp: UnixMs
  value: number
}
/**
 * Where values come from. `isAwaited`: somebody waits until they are written. `needsAfter`: the group
 * of the spool that comes before them.
 */
export type Source = { node: string; isImport: boolean; isAwaited: boolean; needsAfter: number }

/** A value that is older tells nobody anything new. */
const MAX_TOLD_AGE_MS = HOUR
/** A longer pause between two looks at the clock means that the program or the machine slept. */
export const MAX_PAUSE_MS = 30 * SECOND

type Partition = { clock: HeldClock; seen_at: number }

/** The installations that this node watches, in memory. All calls come from one place in turn. */
export class Watching {
  readonly #clock: Clock
  readonly #watched = new Map<number, Watched>()
  readonly #partitions = new Map<number, Partition>()
  readonly #due = new DueTimes<RuleWatch>()
  readonly dirty = new Set<Part>()
  /** Since the start. */
  judged = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get watches(): number {
    let count = 0
    for (const one of this.#watched.values()) count += one.count
    return count
  }

  get(installationId: number): Watched | undefined {
    return this.#watched.get(installationId)
  }

  all(): Iterable<Watched> {
    return this.#watched.values()
  }

  holds(installationId: number): boolean {
    return this.#partitions.has(partitionOf(installationId))
  }

  get held(): HeldPartition[] {
    return Array.from(this.#partitions, ([number, { clock, seen_at }]) => {
      return { number, seen_at, held: clock.state.held }
    })
  }

  hold(partition: HeldPartition): void {
    const { seen_at, held } = partition
    const clock = new HeldClock({ held, since: undefined }, seen_at)
    this.#partitions.set(partition.number, { clock, seen_at })
  }

  /** Forgets a partition. What was not written is not written. */
  drop(number: number): void {
    this.#partitions.delete(number)
    for (const one of this.#watched.values()) if (one.partition === number) this.forget(one.id)
  }

  /** The running time of a partition, at a moment. */
  runningOf(partition: number, at: number): number {
    return this.#partitions.get(partition)?.clock.at(at) ?? at
  }

  add(watched: Watched): void {
    this.#watched.set(watched.id, watched)
    this.noteChanges(watched)
  }

  /** Rules of the installation have changed, and with them its states. */
  noteChanges({ parts }: Watched): void {
    for (const part of parts) if (part.changedAt < Infinity) this.dirty.add(part)
  }

  forget(installationId: number): void {
    const watched = this.#watched.get(installationId)
    if (!watched) return
    this.#watched.delete(installationId)
    for (const one of watched.watches()) this.#due.remove(one)
    for (const part of watched.parts) this.dirty.delete(part)
  }

  /**
   * Time goes on. Time in which nothing ran does not count as silence, and neither does a clock that
   * was set.
   */
  async tick(now: UnixMs): Promise<void> {
    let isSetBack = false
    for (const partition of this.#partitions.values()) {
      const passed = now - partition.seen_at
      if (passed < 0 || passed > MAX_PAUSE_MS) partition.clock.skip(partition.seen_at, now)
      isSetBack ||= passed < 0
      partition.seen_at = now
    }
    if (!isSetBack) return
    for (const one of this.#watched.values()) await this.schedule(one.watches())
  }

  /** Judges a value that arrived at `arrival`. This runs for every value, so it saves steps. */
  judge(value: Value, source: Source, arrival: UnixMs): void {
    const watched = this.#watched.get(value.installation_id)
    const topic = watched?.topic(value.topic)
    if (!watched || !topic) return
    const { part } = topic
    if (value.id > 0) {
      const cursor = part.cursorOf(source.node)
      if (value.id <= cursor.id) return
      cursor.id = value.id
    }
    const moment = { now: arrival, running: this.#running(watched, arrival) }
    const mayBeNew = arrival < watched.rules.newestAt
    for (const one of topic.watches) {
      if (mayBeNew && arrival < one.rule.since) continue
      const { watch, state } = one
      const [raised_at, begin] = [state.o, state.b]
      const transitions = judge(watch, state, value, moment)
      if (transitions.length > 0) {
        const isTold = !source.isImport && value.timestamp >= this.#clock() - MAX_TOLD_AGE_MS
        for (const transition of transitions) part.note(one, transition, raised_at, isTold)
      }
      // Silence that is only put off stays where it is among what is due.
      const isPutOff =
        one.place >= 0 &&
        Number.isNaN(begin) &&
        one.dueAt <= arrival + watch.condition.shortestSilence
      if (isPending(state) || (watch.hasSilence && !isPutOff)) this.#schedule(watched, one)
    }
    if (source.isAwaited) part.isAwaited = true
    this.#changed(part, source.needsAfter)
    this.judged++
  }

  /** Looks at the clock for all that is due before `until`. Other work gets turns in between. */
  async advance(until: number): Promise<void> {
    const turns = new Turns()
    while (this.lookOnce(until)) if (turns.isLate()) await turns.next()
  }

  get nextDue(): number {
    return this.#due.first?.dueAt ?? Number.POSITIVE_INFINITY
  }

  /** False: nothing is due before `until`. */
  lookOnce(until: number): boolean {
    const one = this.#due.first
    if (!one || one.dueAt >= until) return false
    const { part } = one.topic
    const watched = part.installation
    const dueAt = unixMs(one.dueAt)
    const { watch, state } = one
    const before = state.o
    const [wasPending, wasFrom] = [state.b, state.s]
    for (const transition of look(watch, state, {
      now: dueAt,
      running: this.#running(watched, dueAt)
    })) {
      part.note(one, transition, before, transition.at >= dueAt - MAX_TOLD_AGE_MS)
    }
    const isChanged =
      !Object.is(state.o, before) || !Object.is(state.b, wasPending) || !Object.is(state.s, wasFrom)
    if (isChanged) this.#changed(part, Number.POSITIVE_INFINITY)
    this.#due.remove(one)
    this.#schedule(watched, one, dueAt)
    return true
  }

  /** Puts watches that were read or changed into the list of what is due. */
  async schedule(watches: Iterable<RuleWatch>): Promise<void> {
    const turns = new Turns()
    for (const one of [...watches]) {
      this.#due.remove(one)
      this.#schedule(one.topic.part.installation, one)
      if (turns.isLate()) await turns.next()
    }
  }

  /** They no longer watch. */
  unschedule(watches: Iterable<RuleWatch>): void {
    for (const one of watches) {
      this.#due.remove(one)
      one.topic.part.installation.parked.delete(one)
    }
  }

  /** The gateway is gone, or back: silence is held, or goes on. */
  async setHeld(watched: Watched, isHeld: boolean, now: UnixMs): Promise<boolean> {
    if (watched.clock.isHeld === isHeld) return false
    const running = this.runningOf(watched.partition, now)
    if (isHeld) watched.clock.hold(running)
    else {
      watched.clock.goOn(running)
      const parked = [...watched.parked]
      watched.parked.clear()
      await this.schedule(parked)
    }
    return true
  }

  /** It differs from the registry. */
  #changed(part: Part, needsAfter: number): void {
    if (part.needsAfter > needsAfter) part.needsAfter = needsAfter
    if (part.changedAt < Number.POSITIVE_INFINITY) return
    part.changedAt = this.#clock()
    this.dirty.add(part)
  }

  #running(watched: Watched, at: number): number {
    return watched.clock.at(this.runningOf(watched.partition, at))
  }

  /**
   * A deadline that moved to a later time stays where it is in the list: it is looked at too early,
   * and moved then. `after`: it was just looked at.
   */
  #schedule(watched: Watched, one: RuleWatch, after = Number.NEGATIVE_INFINITY): void {
    const next = nextLook(one.watch, one.state)
    if (!next) return
    let dueAt: number | undefined
    if ('now' in next) dueAt = next.now
    else {
      const running = watched.clock.when(next.running)
      const clock = this.#partitions.get(watched.partition)?.clock
      dueAt = running === undefined ? undefined : clock?.when(running)
      if (dueAt === undefined) {
        watched.parked.add(one)
        return
      }
    }
    // What a look did not change must not be due again at once.
    const at = dueAt > after ? dueAt : after + SECOND
    if (one.place < 0 || at < one.dueAt) this.#due.put(one, at)
  }
}
