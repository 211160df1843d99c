import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'
import { SECOND } from '../lib/unix-time.ts'
import { tellChange } from './change.ts'

type Parts = { bus: Bus; log: FastifyBaseLogger }

/** Listeners read the list again, so more would only cost them. */
const EVERY_MS = SECOND

/**
 * Tells that alarms of an installation changed: at once, and what follows within a second together
 * at its end.
 */
export class AlarmEvents {
  readonly #parts: Parts
  /** By client id. `isMore`: something changed since it was told. */
  readonly #told = new Map<number, { timer: NodeJS.Timeout; isMore: boolean }>()
  readonly #sending = new Set<Promise<void>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  tell(clientId: number): void {
    const told = this.#told.get(clientId)
    if (told) {
      told.isMore = true
      return
    }
    const timer = setTimeout(() => {
      const isMore = this.#told.get(clientId)?.isMore
      this.#told.delete(clientId)
      if (isMore) this.tell(clientId)
    }, EVERY_MS)
    this.#told.set(clientId, { timer, isMore: false })
    this.#send(clientId)
  }

  /** Tells what waits, at once. */
  async stop(): Promise<void> {
    for (const [clientId, { timer, isMore }] of this.#told) {
      clearTimeout(timer)
      if (isMore) this.#send(clientId)
    }
    this.#told.clear()
    await Promise.all(this.#sending)
  }

  #send(client_id: number): void {
    const sending = tellChange(this.#parts, { kind: 'alarm', client_id }).finally(() =>
      this.#sending.delete(sending)
    )
    this.#sending.add(sending)
  }
}
