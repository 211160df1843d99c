import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { History } from '../../history/history.ts'
import type { Latest } from '../../history/latest/latest.ts'
import type { Clock } from '../../lib/clock.ts'
import { Rounds } from '../../lib/rounds.ts'
import { MINUTE } from '../../lib/unix-time.ts'
import type { Claims } from '../../registry/claims.ts'
import { finishErasure, pendingErasures } from '../../registry/installations.ts'
import { removeSomeModelx } from '../../registry/modelx.ts'
import type { Registry } from '../../registry/tables.ts'
import type { Mover } from '../../samples/mover.ts'

type Parts = {
  registry: Registry
  history: History
  latest: Latest
  mover: Mover
  claims: Claims
  clock: Clock
  log: FastifyBaseLogger
}

/**
 * Objects are deleted in small groups, so that other requests do not wait long for the registry.
 */
const OBJECTS_PER_ROUND = 100

/**
 * Other nodes may still move samples to history for this long, so it is erased again until then.
 */
const OTHERS_MOVE_FOR_MS = 10 * MINUTE

/**
 * Removes the objects and the history of deleted installations. The registry keeps the list of
 * pending erasures, so a crash only delays them.
 */
export class Eraser {
  readonly #parts: Parts
  readonly #rounds = new Rounds(() => this.#work())
  #lastRound: Promise<void> | undefined
  #isStopping = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Starts the work in the background. */
  wake(): void {
    this.#lastRound = this.#rounds.ask()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#lastRound
  }

  async #work(): Promise<void> {
    const { registry, history, latest, mover, claims, clock, log } = this.#parts
    try {
      if (this.#isStopping) return
      const erasures = await pendingErasures(registry)
      // Samples still in the spool must reach history first, or they would arrive after the
      // erasure.
      if (erasures.length > 0) await mover.flush()
      for (const { installation_id: id, created } of erasures) {
        while ((await removeSomeModelx(registry, id, OBJECTS_PER_ROUND)) > 0) {
          if (this.#isStopping) return
          await nextTurn()
        }
        await history.erase(id)
        latest.erase(id)
        const isAlone = (await claims.nodes()) === 1
        if (isAlone || created < clock() - OTHERS_MOVE_FOR_MS) await finishErasure(registry, id)
      }
    } catch (err) {
      log.error({ err }, 'a deleted installation could not be erased; will try again later')
    }
  }
}
