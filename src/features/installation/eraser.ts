import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { History } from '../../history/history.ts'
import type { Latest } from '../../history/latest/latest.ts'
import type { Clock } from '../../lib/clock.ts'
import { Rounds } from '../../lib/rounds.ts'
import { MINUTE } from '../../lib/unix-time.ts'
import { removeSomeAlarms } from '../../registry/alarms.ts'
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
 * Removes the objects, the alarms and the history of deleted installations. The registry keeps the list of
 * pending erasures, so a crash only delays them.
 */
export class Eraser {
  readonly #parts: Parts
  readonly #rounds = new Rounds(() => this.#work())
  #lastRound: Promise<void> | undefined
  #isStopping = false
  /** Reserved installations that this process is about to make visible. */
  readonly #spared = new Set<number>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Starts the work in the background. */
  wake(): void {
    void this.run()
  }

  /** Resolves when everything that was deleted before is erased, or that has failed. */
  run(): Promise<void> {
    this.#lastRound = this.#rounds.ask()
    return this.#lastRound
  }

  /** Leaves a reserved installation alone until the answer is called. */
  spare(installationId: number): () => void {
    this.#spared.add(installationId)
    return () => void this.#spared.delete(installationId)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#lastRound
  }

  /**
   * Without the installations that are reserved for an import. Another node holds such a reserve
   * for some minutes at a time. If there is no other node, the one that made it has ended.
   */
  async #due() {
    const { registry, claims, clock } = this.#parts
    const erasures = (await pendingErasures(registry)).filter(
      ({ installation_id: id }) => !this.#spared.has(id)
    )
    const now = clock()
    if (erasures.every(({ created }) => created <= now)) return erasures
    // Asked after the list was read: whoever made a reserve in it was there before.
    const isAlone = (await claims.nodes()) === 1
    return erasures.filter(({ created }) => isAlone || created <= now)
  }

  async #work(): Promise<void> {
    const { registry, history, latest, mover, claims, clock, log } = this.#parts
    try {
      if (this.#isStopping) return
      const erasures = await this.#due()
      // Samples still in the spool must reach history first, or they would arrive after the
      // erasure.
      if (erasures.length > 0) await mover.flush()
      for (const { installation_id: id, created } of erasures) {
        if (this.#spared.has(id)) continue
        for (const removeSome of [removeSomeModelx, removeSomeAlarms]) {
          while ((await removeSome(registry, id, OBJECTS_PER_ROUND)) > 0) {
            if (this.#isStopping) return
            await nextTurn()
          }
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
