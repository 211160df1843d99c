import type { FastifyBaseLogger } from 'fastify'
import { sweepAlarms } from '../features/alarm/sweep.ts'
import type { FileStore } from '../features/file/store.ts'
import { sweepFiles } from '../features/file/sweep.ts'
import type { Eraser } from '../features/installation/eraser.ts'
import { sweepTrace } from '../features/trace/sweep.ts'
import type { History } from '../history/history.ts'
import type { Clock } from '../lib/clock.ts'
import { clientIdOf } from '../lib/topic.ts'
import { DAY, MINUTE, monthOf } from '../lib/unix-time.ts'
import type { Directory } from '../permission/directory.ts'
import { dropMonthsBefore } from '../quota/usage.ts'
import { CHANGES_KEPT_MS, forgetChanges } from '../registry/changes.ts'
import type { Claims } from '../registry/claims.ts'
import { deleteRegistrationsBefore } from '../registry/registrations.ts'
import type { Registry } from '../registry/tables.ts'
import { deleteExpiredTokens } from '../registry/tokens.ts'
import type { OwnRetention } from '../samples/own-retention.ts'
import type { Retention } from '../samples/retention.ts'

type Parts = {
  registry: Registry
  history: History
  claims: Claims
  files: FileStore
  eraser: Eraser
  retention: Retention
  ownRetention: OwnRetention
  directory: Directory
  bus: {
    endSessionsUnusedSince(time: number): number | Promise<number>
    dropRetained(isGone: (level: string) => boolean): Promise<number>
  }
  sessionDays: number
  traceDays: number
  clock: Clock
  log: FastifyBaseLogger
}

/** Removes what has expired, every ten minutes. One node does the work on shared data. */
export class Housekeeping {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    const run = () => {
      this.#running ??= this.run()
        .catch((err) => this.#parts.log.error({ err }, 'housekeeping failed'))
        .finally(() => {
          this.#running = undefined
        })
    }
    this.#timer = setInterval(run, 10 * MINUTE)
    run()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#parts.ownRetention.stop()
    await this.#running
  }

  async run(): Promise<void> {
    const { registry, history, directory, claims, eraser, bus, clock, log } = this.#parts
    const { retention, ownRetention, sessionDays, traceDays } = this.#parts
    const now = clock()
    const ended = await bus.endSessionsUnusedSince(now - sessionDays * DAY)
    if (ended > 0) log.info({ ended }, 'unused MQTT sessions have ended')
    await bus.dropRetained((level) => {
      const clientId = clientIdOf(level)
      return clientId !== undefined && !directory.installationByClientId(clientId)
    })
    if (!(await claims.take('housekeeping'))) return
    await deleteExpiredTokens(registry, now)
    await deleteRegistrationsBefore(registry, now - DAY)
    await forgetChanges(registry, now - CHANGES_KEPT_MS)
    eraser.wake()
    await sweepFiles(this.#parts)
    await sweepTrace(registry, now - traceDays * DAY)
    await sweepAlarms(registry, now)
    await retention.run(now)
    // Months that history dropped no longer count as usage, no matter which node dropped them.
    const { months } = await history.sizes()
    await dropMonthsBefore(registry, months[0]?.name ?? monthOf(now))
    // Last, because it may take a while.
    await ownRetention.run(now)
  }
}
