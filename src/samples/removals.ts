import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { History, ScanQuery } from '../history/history.ts'
import type { Held, Latest, Stretch } from '../history/latest/latest.ts'
import { SAMPLE_BYTES } from '../lib/quota.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { endOfMonth, monthOf, startOfMonth, unixMs } from '../lib/unix-time.ts'
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

/**
 * What every node does for a removal. `settle`: acknowledged samples reach history. `mark`: notes
 * the latest values in the stretch. `correct`: compares those with history.
 */
export type RemovalStep = 'settle' | 'mark' | 'correct'
export type RemovalTask = Stretch & { step: RemovalStep; removal: string; installation_id: number }

/** Whether all other nodes have done it. */
export type AskOthers = (task: RemovalTask) => Promise<boolean>

/** Latest values are read from history in groups, because their messages may be long. */
const TOPICS_PER_READ = 50
/** A list of topics goes to the thread of the engine. Copying this many takes a millisecond. */
const TOPICS_PER_CALL = 2000
/** A removal whose node has stopped leaves marks behind. */
const MAX_MARKS = 64

/** [ADR-0047] Removes a stretch of history. The latest values follow on every node. */
export class Removals {
  readonly #parts: Parts
  /** The last removal of each installation that is not finished. */
  readonly #running = new Map<number, Promise<number>>()
  readonly #marks = new Map<string, readonly Held[]>()
  #askOthers: AskOthers = async () => true

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Called if there may be other nodes. */
  tellOthers(ask: AskOthers): void {
    this.#askOthers = ask
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
    const task = { removal: randomUUID(), installation_id, from, to }
    // Samples still in a spool must reach history first, or they would arrive after the removal.
    if (!(await this.#everywhere({ ...task, step: 'settle' }))) {
      throw new Unavailable('another node does not answer')
    }
    const bytesEach = SAMPLE_BYTES + (await this.#shortestTopic(query))
    const { history, log } = this.#parts
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
      await this.#follow(task)
    }
    return removed
  }

  /** Resolves when the samples that any node has acknowledged are in history. */
  async settle(installation_id: number): Promise<void> {
    const task = { removal: randomUUID(), installation_id, from: unixMs(0), to: unixMs(0) }
    if (!(await this.#everywhere({ ...task, step: 'settle' }))) {
      throw new Unavailable('another node does not answer')
    }
  }

  /** Does one step on this node. */
  async do({ step, removal, installation_id, from, to }: RemovalTask): Promise<void> {
    const { latest, mover } = this.#parts
    if (step === 'settle') return mover.flush()
    if (step === 'mark') {
      const [oldest] = this.#marks.keys()
      if (oldest !== undefined && this.#marks.size >= MAX_MARKS) this.#marks.delete(oldest)
      this.#marks.set(removal, await latest.within(installation_id, { from, to }))
      return
    }
    const marked = this.#marks.get(removal) ?? []
    this.#marks.delete(removal)
    await this.#correct(installation_id, marked)
  }

  /**
   * A marked value was acknowledged before the spools are settled. So after that, history either
   * has it or it was removed.
   */
  async #follow(task: Omit<RemovalTask, 'step'>): Promise<void> {
    for (const step of ['mark', 'settle', 'correct'] as const) {
      if (await this.#everywhere({ ...task, step })) continue
      const { installation_id } = task
      const text = 'a node did not answer; it may show latest values that were removed'
      this.#parts.log.warn({ installation_id, step }, text)
    }
  }

  async #everywhere(task: RemovalTask): Promise<boolean> {
    const others = this.#askOthers(task).catch((err) => {
      this.#parts.log.warn({ err, step: task.step }, 'the other nodes could not be asked')
      return false
    })
    const [isDone] = await Promise.all([others, this.do(task)])
    return isDone
  }

  async #correct(installation_id: number, marked: readonly Held[]): Promise<void> {
    const { history, latest } = this.#parts
    for (let at = 0; at < marked.length; at += TOPICS_PER_READ) {
      const group = marked.slice(at, at + TOPICS_PER_READ)
      const topics = group.map(({ topic }) => topic)
      const samples = await history.latestOf(installation_id, topics)
      const stored = new Map(samples.map((sample) => [sample.topic, sample]))
      for (const held of group) {
        const sample = stored.get(held.topic)
        if (sample?.id !== held.id || sample.timestamp !== held.timestamp) {
          latest.replace(held, sample)
        }
      }
    }
  }

  /**
   * The bytes of each removed sample are not known. They are at least those of the shortest topic
   * without a message.
   */
  async #giveBack(query: ScanQuery, window: Stretch, atLeast: number): Promise<void> {
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
