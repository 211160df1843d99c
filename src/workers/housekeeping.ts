import type { FastifyBaseLogger } from 'fastify'
import type { Directory } from '../access/directory.ts'
import type { FileStore } from '../file-store.ts'
import type { History } from '../history/history.ts'
import type { Clock } from '../lib/clock.ts'
import { clientIdOf } from '../lib/topic.ts'
import { DAY, MINUTE, monthOf } from '../lib/unix-time.ts'
import { CHANGES_KEPT, forgetChanges } from '../registry/changes.ts'
import type { Claims } from '../registry/claims.ts'
import { deleteRegistrationsBefore } from '../registry/registrations.ts'
import type { Registry } from '../registry/tables.ts'
import { deleteExpiredTokens } from '../registry/tokens.ts'
import { dropMonthsBefore } from '../registry/usage.ts'
import type { Eraser } from './eraser.ts'
import { sweepFiles } from './file-sweep.ts'
import type { Retention } from './retention.ts'
import { sweepTrace } from './trace-sweep.ts'

type Parts = {
  registry: Registry
  history: History
  claims: Claims
  files: FileStore
  eraser: Eraser
  retention: Retention
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

/** Every ten minutes: what has ended goes. One node does it for all. */
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
    await this.#running
  }

  async run(): Promise<void> {
    const { registry, history, directory, claims, eraser, retention, bus, clock, log } = this.#parts
    const { sessionDays, traceDays } = this.#parts
    const now = clock()
    const ended = await bus.endSessionsUnusedSince(now - sessionDays * DAY)
    if (ended > 0) log.info({ ended }, 'MQTT sessions that nobody used have ended')
    await bus.dropRetained((level) => {
      const clientId = clientIdOf(level)
      return clientId !== undefined && !directory.installationByClientId(clientId)
    })
    if (!(await claims.take('housekeeping'))) return
    await deleteExpiredTokens(registry, now)
    await deleteRegistrationsBefore(registry, now - DAY)
    await forgetChanges(registry, now - CHANGES_KEPT)
    eraser.wake()
    await sweepFiles(this.#parts)
    await sweepTrace(registry, now - traceDays * DAY)
    await retention.run(now)
    // What history dropped, whoever dropped it, is used no longer.
    const { months } = await history.sizes()
    await dropMonthsBefore(registry, months[0]?.name ?? monthOf(now))
  }
}
