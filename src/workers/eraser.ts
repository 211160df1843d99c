import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { History } from '../history/history.ts'
import type { Latest } from '../history/latest.ts'
import type { Clock } from '../lib/clock.ts'
import { MINUTE } from '../lib/unix-time.ts'
import type { Claims } from '../registry/claims.ts'
import { finishErasure, pendingErasures } from '../registry/installations.ts'
import { removeSomeObjects } from '../registry/objects.ts'
import type { Registry } from '../registry/tables.ts'
import type { Mover } from './mover.ts'

type Parts = {
  registry: Registry
  history: History
  latest: Latest
  mover: Mover
  claims: Claims
  clock: Clock
  log: FastifyBaseLogger
}

/** At a time, so that nobody else waits long for the registry. */
const OBJECTS = 100

/** As long other nodes may still move what they had of it to history: it is erased again until then. */
const OTHERS_MOVE = 10 * MINUTE

/** Removes the objects and the history of deleted installations. What is left to do is in the registry, so a crash only delays it. */
export class Eraser {
  readonly #parts: Parts
  #working: Promise<void> | undefined
  #again = false
  #isStopping = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns at once. */
  wake(): void {
    this.#again = true
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  async stop(): Promise<void> {
    this.#again = false
    this.#isStopping = true
    await this.#working
  }

  async #work(): Promise<void> {
    const { registry, history, latest, mover, claims, clock, log } = this.#parts
    try {
      while (this.#again) {
        this.#again = false
        const erasures = await pendingErasures(registry)
        // What was spooled before the deletion must be in history to be erased from it.
        if (erasures.length > 0) await mover.flush()
        for (const { installation_id: id, created } of erasures) {
          while ((await removeSomeObjects(registry, id, OBJECTS)) > 0) {
            if (this.#isStopping) return
            await nextTurn()
          }
          await history.erase(id)
          latest.erase(id)
          const isAlone = (await claims.nodes()) === 1
          if (isAlone || created < clock() - OTHERS_MOVE) await finishErasure(registry, id)
        }
      }
    } catch (err) {
      log.error({ err }, 'a deleted installation could not be erased; tried again later')
    }
  }
}
