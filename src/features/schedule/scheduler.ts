import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../../bus/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import { Ticks } from '../../lib/ticks.ts'
import { withClientId } from '../../lib/topic.ts'
import { HOUR, MINUTE, SECOND, toSeconds, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import type { Metrics } from '../../metrics.ts'
import type { Claims } from '../../registry/claims.ts'
import type { Registry } from '../../registry/tables.ts'
import type { Ingest } from '../../samples/ingest.ts'
import { nextRun, parseCron } from './cron.ts'
import { runsHere } from './plan.ts'
import {
  type DueSchedule,
  dueSchedules,
  finishRuns,
  replanSchedules,
  takeRun,
  unfinishedRuns
} from './schedules.ts'
import type { RunOutcome } from './tables.ts'

type Parts = {
  registry: Registry
  bus: Bus
  ingest: Pick<Ingest, 'accept'>
  claims: Pick<Claims, 'take'>
  metrics: Metrics
  clock: Clock
  log: FastifyBaseLogger
  /** For installations without a time zone. */
  timezone: string
  /** Milliseconds that only increase, even if the clock is changed. */
  elapsed?: () => number
}

type Move = {
  schedule: DueSchedule
  planned: UnixMs
  next: UnixMs | null
  outcome: RunOutcome | undefined
}
type Run = { id: number; topic: string; value: number; client_id: number; planned: number }

const TICK_MS = 500
/** After a restart, runs that are at most this late are still done. */
const GRACE_MS = MINUTE
/** Runs that are later than this are always skipped, even after a change of the clock. */
const MAX_LATE_MS = HOUR
/**
 * Publishing takes less time than this. A run that was taken earlier has failed and is tried again.
 */
const UNDER_WAY_MS = 10 * SECOND
const RETRY_EVERY_MS = 2 * SECOND
/**
 * Schedules are handled in small groups, so that other requests do not wait long for the registry.
 */
const SCHEDULES_PER_ROUND = 50

/**
 * [contract: Events] Publishes the value of a schedule at its time. A run is taken in the registry
 * before it is published, so that only one node does it.
 */
export class Scheduler {
  readonly #parts: Parts
  readonly #elapsed: () => number
  readonly #ticks = new Ticks(TICK_MS, () =>
    this.tick().catch((err) => this.#parts.log.error({ err }, 'schedules could not be run'))
  )
  #lookedAt = Number.NEGATIVE_INFINITY
  #last: { wall: UnixMs; elapsed: number } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#elapsed = parts.elapsed ?? (() => performance.now())
  }

  start(): void {
    this.#ticks.start()
  }

  stop(): Promise<void> {
    return this.#ticks.stop()
  }

  /** Runs everything that is due. Only one node does this at a time. */
  async tick(): Promise<void> {
    const { registry, claims, clock, timezone } = this.#parts
    if (!(await claims.take('scheduler'))) {
      // The node that takes over begins as after a start.
      this.#last = undefined
      return
    }
    const now = clock()
    const floor = this.#floor(now)
    if (this.#last === undefined) await replanSchedules(registry, timezone, now)
    await this.#finishUnfinished(now, floor)
    this.#last = { wall: now, elapsed: this.#elapsed() }
    while (true) {
      const due = await dueSchedules(registry, now, SCHEDULES_PER_ROUND)
      if (due.length === 0) return
      await this.#run(due, { now, floor })
      await nextTurn()
    }
  }

  /**
   * Runs due before this time are skipped. After a pause of the process runs are skipped; after a
   * change of the clock they are not.
   */
  #floor(now: UnixMs): UnixMs {
    const last = this.#last
    const stood = last === undefined || this.#elapsed() - last.elapsed > GRACE_MS
    return unixMs(Math.max(stood ? now - GRACE_MS : last.wall - GRACE_MS, now - MAX_LATE_MS))
  }

  async #run(due: readonly DueSchedule[], at: { now: UnixMs; floor: UnixMs }): Promise<void> {
    const { registry } = this.#parts
    // Every transaction takes the rows in the order of ids, so that two cannot deadlock.
    const moves = due.toSorted((a, b) => a.id - b.id).map((schedule) => this.#moveOf(schedule, at))
    const taken: Run[] = []
    await registry.transaction().execute(async (registry) => {
      for (const { schedule, planned, next, outcome } of moves) {
        const message = await takeRun(registry, schedule, { next, ran: at.now, outcome })
        if (message && outcome === 'taken') taken.push({ ...schedule, ...message, planned })
      }
    })
    await this.#publishAll(taken)
  }

  /** Decides what to do with a schedule that is due, and when it runs next. */
  #moveOf(schedule: DueSchedule, { now, floor }: { now: UnixMs; floor: UnixMs }): Move {
    const { log, metrics } = this.#parts
    const { id, installation_id, zone } = schedule
    const planned = unixMs(schedule.next_run ?? 0)
    const isOurs = runsHere(schedule.executor, JSON.parse(schedule.capabilities))
    const isLate = planned < floor
    // After a skip the plan continues at the floor, so that runs that are not too late are done.
    const after = isLate ? unixMs(floor - 1) : isOurs ? planned : now
    try {
      const next = nextRun(parseCron(schedule), zone, after) ?? null
      if (!isOurs) return { schedule, planned, next, outcome: undefined }
      if (!isLate) return { schedule, planned, next, outcome: 'taken' }
      log.warn({ schedule: id, installation: installation_id, planned, next }, 'runs skipped')
      metrics.ran('skipped', 1)
      return { schedule, planned, next, outcome: 'skipped' }
    } catch (err) {
      // A time zone that this machine does not know must not stop the other schedules.
      log.error(
        { err, schedule: id, installation: installation_id },
        'a schedule cannot be planned'
      )
      return { schedule, planned, next: null, outcome: 'failed' }
    }
  }

  /**
   * Runs are unfinished if a process ended before publishing or the broker did not answer. They are
   * published again; two values with the same time count as one.
   */
  async #finishUnfinished(now: UnixMs, floor: UnixMs): Promise<void> {
    if (this.#last && this.#elapsed() - this.#lookedAt < RETRY_EVERY_MS) return
    this.#lookedAt = this.#elapsed()
    const runs = await unfinishedRuns(this.#parts.registry, now - UNDER_WAY_MS)
    await this.#publishAll(runs.filter(({ planned }) => planned >= floor))
    await this.#finish(
      runs.filter(({ planned }) => planned < floor),
      'failed'
    )
  }

  /** Runs that the broker does not accept keep the outcome `taken` and are tried again. */
  async #publishAll(runs: readonly Run[]): Promise<void> {
    const outcomes = await Promise.all(runs.map((run) => this.#publish(run)))
    const left = outcomes.filter((outcome) => outcome === 'taken').length
    if (left > 0) this.#parts.log.warn({ runs: left }, 'schedules could not be published yet')
    for (const outcome of ['published', 'failed'] as const) {
      await this.#finish(
        runs.filter((_, i) => outcomes[i] === outcome),
        outcome
      )
    }
  }

  async #publish({ topic: given, value, client_id, planned }: Run): Promise<RunOutcome> {
    const { bus, ingest, log } = this.#parts
    const topic = withClientId(client_id, given)
    const payload = JSON.stringify({ value, timestamp: toSeconds(unixMs(planned)), msg: '' })
    try {
      await bus.publish(topic, payload, { qos: 1 })
    } catch (err) {
      log.debug({ err, topic }, 'a schedule could not be published')
      return 'taken'
    }
    try {
      // With QoS 0 a full disk does not delay this, so that the next schedules do not wait.
      const message = { topic, payload: Buffer.from(payload), qos: 0, retain: false } as const
      await ingest.accept(message, 'schedule')
      return 'published'
    } catch (err) {
      log.error({ err, topic }, 'the value of a schedule could not be stored')
      return 'failed'
    }
  }

  async #finish(runs: readonly Run[], outcome: 'published' | 'failed'): Promise<void> {
    const { registry, metrics } = this.#parts
    for (const [planned, group] of Map.groupBy(runs, (run) => run.planned)) {
      const ids = group.map(({ id }) => id)
      await finishRuns(registry, ids, planned, outcome)
      metrics.ran(outcome, ids.length)
    }
  }
}
