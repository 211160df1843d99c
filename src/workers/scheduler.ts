import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../lib/clock.ts'
import { nextRun, parseCron } from '../lib/cron.ts'
import { runsHere } from '../lib/schedule-plan.ts'
import { withClientId } from '../lib/topic.ts'
import { HOUR, MINUTE, SECOND, toSeconds, type UnixMs, unixMs } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'
import type { Claims } from '../registry/claims.ts'
import {
  type DueSchedule,
  dueSchedules,
  finishRuns,
  replanSchedules,
  takeRun,
  unfinishedRuns
} from '../registry/schedules.ts'
import type { Registry, RunOutcome } from '../registry/tables.ts'
import type { Ingest } from './ingest.ts'

type Parts = {
  registry: Registry
  bus: Bus
  ingest: Ingest
  claims: Pick<Claims, 'take'>
  metrics: Metrics
  clock: Clock
  log: FastifyBaseLogger
  /** Where an installation names none. */
  timezone: string
  /** Milliseconds that only ever rise, whatever is done to the clock. */
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
/** A run is still worth doing this late after a restart. */
const GRACE = MINUTE
/** However far the clock steps, what was due longer ago is skipped. */
const FARTHEST = HOUR
/** Longer than publishing takes: whoever took a run before that is gone, or did not get through. */
const UNDER_WAY = 10 * SECOND
const AGAIN_EVERY = 2 * SECOND
/** At a time, so that nobody else waits long for the registry. */
const CHUNK = 50

/**
 * [contract: Events] Publishes the value of a schedule when its time has come. A run is taken in the
 * registry before it is published, so it is done once however many look at it.
 */
export class Scheduler {
  readonly #parts: Parts
  readonly #elapsed: () => number
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> = Promise.resolve()
  #lookedAt = Number.NEGATIVE_INFINITY
  #last: { wall: UnixMs; elapsed: number } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#elapsed = parts.elapsed ?? (() => performance.now())
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#ticking = this.tick()
        .catch((err) => this.#parts.log.error({ err }, 'schedules could not be run'))
        .finally(() => {
          if (this.#timer) this.start()
        })
    }, TICK_MS)
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#ticking
  }

  /** Everything that is due by now, on one node at a time. */
  async tick(): Promise<void> {
    const { registry, claims, clock, timezone } = this.#parts
    if (!(await claims.take('scheduler'))) {
      // Whoever takes over looks at everything again, as after a start.
      this.#last = undefined
      return
    }
    const now = clock()
    const floor = this.#floor(now)
    if (this.#last === undefined) await replanSchedules(registry, timezone, now)
    await this.#finishUnfinished(now, floor)
    this.#last = { wall: now, elapsed: this.#elapsed() }
    while (true) {
      const due = await dueSchedules(registry, now, CHUNK)
      if (due.length === 0) return
      await this.#run(due, { now, floor })
      await nextTurn()
    }
  }

  /** What was due before it is skipped. A clock that steps skips nothing, a process that stood still does. */
  #floor(now: UnixMs): UnixMs {
    const last = this.#last
    const stood = last === undefined || this.#elapsed() - last.elapsed > GRACE
    return unixMs(Math.max(stood ? now - GRACE : last.wall - GRACE, now - FARTHEST))
  }

  async #run(due: readonly DueSchedule[], at: { now: UnixMs; floor: UnixMs }): Promise<void> {
    const { registry } = this.#parts
    // In the order of their ids, as everybody takes them, so that no two wait for each other.
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

  /** What becomes of a schedule that is due, and when it is next. */
  #moveOf(schedule: DueSchedule, { now, floor }: { now: UnixMs; floor: UnixMs }): Move {
    const { log, metrics } = this.#parts
    const { id, installation_id, zone } = schedule
    const planned = unixMs(schedule.next_run ?? 0)
    const isOurs = runsHere(schedule.executor, JSON.parse(schedule.capabilities))
    const isLate = planned < floor
    // After a skip the plan goes on at the floor, so what is still worth doing is done.
    const after = isLate ? unixMs(floor - 1) : isOurs ? planned : now
    try {
      const next = nextRun(parseCron(schedule), zone, after) ?? null
      if (!isOurs) return { schedule, planned, next, outcome: undefined }
      if (!isLate) return { schedule, planned, next, outcome: 'taken' }
      log.warn({ schedule: id, installation: installation_id, planned, next }, 'runs skipped')
      metrics.ran('skipped', 1)
      return { schedule, planned, next, outcome: 'skipped' }
    } catch (err) {
      // A zone that this machine does not know must not stop the others.
      log.error(
        { err, schedule: id, installation: installation_id },
        'a schedule cannot be planned'
      )
      return { schedule, planned, next: null, outcome: 'failed' }
    }
  }

  /**
   * A process ended between taking and publishing, or the broker was away: done again, a value with
   * the same time is one.
   */
  async #finishUnfinished(now: UnixMs, floor: UnixMs): Promise<void> {
    if (this.#last && this.#elapsed() - this.#lookedAt < AGAIN_EVERY) return
    this.#lookedAt = this.#elapsed()
    const runs = await unfinishedRuns(this.#parts.registry, now - UNDER_WAY)
    await this.#publishAll(runs.filter(({ planned }) => planned >= floor))
    await this.#finish(
      runs.filter(({ planned }) => planned < floor),
      'failed'
    )
  }

  /** What the broker does not take stays taken. */
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
      // Never held at the disk's reserve: the next schedules must not wait for it.
      const message = { topic, payload: Buffer.from(payload), qos: 0, retain: false } as const
      await ingest.accept(message, 'schedule')
      return 'published'
    } catch (err) {
      log.error({ err, topic }, 'the value of a schedule could not be stored')
      return 'failed'
    }
  }

  async #finish(runs: readonly Run[], outcome: RunOutcome): Promise<void> {
    const { registry, metrics } = this.#parts
    for (const [planned, group] of Map.groupBy(runs, (run) => run.planned)) {
      const ids = group.map(({ id }) => id)
      await finishRuns(registry, ids, planned, outcome)
      metrics.ran(outcome, ids.length)
    }
  }
}
