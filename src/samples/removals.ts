import type { FastifyBaseLogger } from 'fastify'
import type { History, ScanQuery } from '../history/history.ts'
import type { Latest } from '../history/latest/latest.ts'
import { SAMPLE_BYTES } from '../lib/quota.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { endOfMonth, monthOf, startOfMonth, type UnixMs } from '../lib/unix-time.ts'
import { giveBackMonth } from '../quota/usage.ts'
import type { Registry } from '../registry/tables.ts'
import { cutAtMonths } from './months.ts'
import type { Mover } from './mover.ts'

type Parts = {
  registry: Registry
  history: History
  latest: Latest
  mover: Pick<Mover, 'flush'>
  log: FastifyBaseLogger
}

/** A list of topics goes to the thread of the engine. Copying this many takes a millisecond. */
const TOPICS_PER_CALL = 2000

/** [ADR-0047] Removes a stretch of history. The latest values follow. */
export class Removals {
  readonly #parts: Parts
  /** The last removal of each installation that is not finished. */
  readonly #running = new Map<number, Promise<number>>()
  #settleOthers: () => Promise<boolean> = async () => true

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Called if there may be other nodes. `settle` answers whether all of them have done it. */
  tellOthers(settle: () => Promise<boolean>): void {
    this.#settleOthers = settle
  }

  /**
   * Resolves with the number of samples that went. Removals of one installation run one after the
   * other. An abort only ends one that has not begun.
   */
  async remove(query: ScanQuery, signal?: AbortSignal): Promise<number> {
    const { installation_id } = query
    const begin = () => {
      signal?.throwIfAborted()
      return this.#remove(query)
    }
    const before = this.#running.get(installation_id)
    const running = before ? before.then(begin, begin) : begin()
    this.#running.set(installation_id, running)
    try {
      return await running
    } finally {
      if (this.#running.get(installation_id) === running) this.#running.delete(installation_id)
    }
  }

  async #remove(query: ScanQuery): Promise<number> {
    const { installation_id, from, to } = query
    // Samples still in a spool must reach history first, or they would arrive after the removal.
    await this.settle()
    const bytesEach = SAMPLE_BYTES + (await this.#shortestTopic(query))
    const { history, latest, log } = this.#parts
    let removed = 0
    try {
      for (const window of cutAtMonths(query, (await history.sizes()).months)) {
        let count = 0
        for (const topics of inGroups(query.topics)) {
          count += await history.remove({ ...query, topics, ...window })
        }
        removed += count
        if (count > 0) await this.#giveBack(query, window, count * bytesEach)
      }
    } catch (err) {
      log.error({ err, installation_id, from, to, removed }, 'a removal of samples ended early')
      throw err
    } finally {
      latest.forget(installation_id)
    }
    return removed
  }

  /** Resolves when the samples that any node has acknowledged are in history. */
  async settle(): Promise<void> {
    const { mover, log } = this.#parts
    const others = this.#settleOthers().catch((err) => {
      log.warn({ err }, 'the other nodes could not be asked')
      return false
    })
    const [isDone] = await Promise.all([others, mover.flush()])
    if (!isDone) throw new Unavailable('another node does not answer')
  }

  /**
   * The bytes of each removed sample are not known. They are at least those of the shortest topic
   * without a message.
   */
  async #giveBack(
    query: ScanQuery,
    window: { from: UnixMs; to: UnixMs },
    atLeast: number
  ): Promise<void> {
    const month = monthOf(window.from)
    const isWhole = window.from <= startOfMonth(month) && window.to >= endOfMonth(month) - 1
    const bytes = isWhole && !query.topics ? Number.MAX_SAFE_INTEGER : atLeast
    const { installation_id } = query
    await giveBackMonth(this.#parts.registry, { installation_id, month, bytes })
  }

  async #shortestTopic({ installation_id, topics }: ScanQuery): Promise<number> {
    const all = topics ?? (await this.#parts.latest.topics(installation_id, undefined))
    let shortest = Number.POSITIVE_INFINITY
    for (const { length } of all) if (length < shortest) shortest = length
    return Number.isFinite(shortest) ? shortest : 0
  }
}

/** Undefined means all topics, which is one group. */
function* inGroups(
  topics: readonly string[] | undefined
): Generator<readonly string[] | undefined> {
  if (!topics) yield undefined
  else {
    for (let at = 0; at < topics.length; at += TOPICS_PER_CALL) {
      yield topics.slice(at, at + TOPICS_PER_CALL)
    }
  }
}
