import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { History } from '../history/history.ts'
import { arrivalOf } from '../history/sample-ids.ts'
import {
  MAX_GROUP_BYTES,
  MAX_GROUP_SAMPLES,
  MAX_WAITING_BYTES,
  type Spool,
  type Together
} from '../history/spool/spool.ts'
import { Outage } from '../lib/outage.ts'
import { SECOND, type UnixMs } from '../lib/unix-time.ts'
import { endsWithin } from '../lib/within.ts'
import type { Metrics } from '../metrics.ts'

/** Where ingest leaves samples. The promise of `append` is the acknowledgement. */
export type Intake = Pick<Spool, 'isFull' | 'whenRoom' | 'append' | 'appendTogether' | 'settled'>

type Parts = {
  history: Pick<History, 'append'>
  /** Keeps the ids rising after a restart. */
  spool: Pick<Spool, 'reserve'>
  metrics: Pick<Metrics, 'moved'>
  log: Pick<FastifyBaseLogger, 'error' | 'info'>
}

type Batch = {
  token: string
  lines: string[]
  /** Of samples. A text in `lines` may have several. */
  count: number
  bytes: number
  firstId: number
  lastId: number
  began: number
  /** It was sent. A repetition needs the same rows, so nothing is added to it. */
  isSent: boolean
  stored: PromiseWithResolvers<void>
}

/** The longest time in which a batch gathers. */
const GATHER_MS = 200
/**
 * A batch of this many goes earlier if nothing more comes: the broker waits for acknowledgements.
 */
const ENOUGH_SAMPLES = 500
const LOOK_EVERY_MS = 10
const MAX_PAUSE_MS = SECOND
const CLOSE_LIMIT_MS = 2 * SECOND

/**
 * [ADR-0057] Brings samples to history without the disk of this node. A sample is acknowledged when
 * history has it. Batches go one after the other; a repeated one has the same rows and token.
 */
export class DirectWriter implements Intake {
  readonly #parts: Parts
  /** Oldest first. The oldest one is being sent, or will be next. */
  readonly #batches: Batch[] = []
  readonly #outage: Outage
  readonly #stopping = new AbortController()
  #waitingBytes = 0
  #waitingSamples = 0
  #room: PromiseWithResolvers<void> | undefined
  #isRunning = false
  #failure: string | undefined
  #nextFailure = silent()
  /** Somebody waits for the batches up to this one, so they do not gather any longer. */
  #wanted: Batch | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#outage = new Outage(parts.log, {
      fails: 'history does not take samples: they are not acknowledged and wait at the broker',
      back: 'history takes samples again'
    })
  }

  get isFull(): boolean {
    return this.#waitingBytes >= MAX_WAITING_BYTES
  }

  whenRoom(): Promise<void> {
    if (!this.isFull) return Promise.resolve()
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  /** Samples that are not acknowledged yet. */
  get waitingSamples(): number {
    return this.#waitingSamples
  }

  /** When the oldest of them arrived. */
  get waitingSince(): UnixMs | undefined {
    const [oldest] = this.#batches
    return oldest && arrivalOf(oldest.firstId)
  }

  /** Why history does not take samples at the moment; undefined if it does. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** `line` is a sample as `encodeSample` writes it. Resolves when history has it. */
  append(line: string, id: number, bytes = Buffer.byteLength(line)): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.reject(stopped())
    const batch = this.#gather(id, bytes)
    batch.lines.push(line)
    return this.#added(batch, { count: 1, lastId: id, bytes })
  }

  /** The same for samples that are in one batch, so that history has all of them or none. */
  appendTogether(lines: string, added: Together): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.reject(stopped())
    const { count, lastId, bytes } = added
    const batch = this.#gather(lastId - count + 1, bytes, count)
    batch.lines.push(lines)
    return this.#added(batch, added)
  }

  /** Resolves when everything appended so far is in history; rejects if that fails. */
  async settled(): Promise<void> {
    const last = this.#batches.at(-1)
    if (!last) return
    this.#wanted = last
    await Promise.race([last.stored.promise, this.#nextFailure.promise])
  }

  /**
   * Call it when the broker no longer waits for acknowledgements. What history does not take now is
   * given up: the broker sends it to another node, which must not find it stored a second time.
   */
  async close(): Promise<void> {
    const [oldest] = this.#batches
    const isLate = oldest !== undefined && performance.now() - oldest.began > SECOND
    if (!this.#failure && !isLate) {
      await endsWithin(
        CLOSE_LIMIT_MS,
        this.settled().catch(() => {})
      )
    }
    this.#stopping.abort()
    // A batch that was sent is not waited for: the server may hang.
    for (const batch of this.#batches.splice(0)) this.#end(batch, stopped())
  }

  #gather(id: number, bytes: number, count = 1): Batch {
    const last = this.#batches.at(-1)
    const isOpen = last && !last.isSent && last.count + count <= MAX_GROUP_SAMPLES
    if (isOpen && last.bytes + bytes <= MAX_GROUP_BYTES) return last
    const batch: Batch = {
      ...{ token: randomUUID(), lines: [], count: 0, bytes: 0, firstId: id, lastId: id },
      ...{ began: performance.now(), isSent: false, stored: silent() }
    }
    this.#batches.push(batch)
    return batch
  }

  #added(batch: Batch, { count, lastId, bytes }: Together): Promise<void> {
    batch.count += count
    batch.bytes += bytes
    batch.lastId = lastId
    this.#waitingBytes += bytes
    this.#waitingSamples += count
    if (!this.#isRunning) void this.#run()
    return batch.stored.promise
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    // `close` empties the list.
    for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
      await this.#whenDue(batch)
      await this.#store(batch)
    }
    this.#isRunning = false
  }

  async #whenDue(batch: Batch): Promise<void> {
    for (let before = 0; !this.#isDue(batch, before); ) {
      before = batch.count
      await wait(LOOK_EVERY_MS)
    }
  }

  #isDue(batch: Batch, before: number): boolean {
    const { count } = batch
    const isIdle = count >= ENOUGH_SAMPLES && count === before
    const isOld = performance.now() - batch.began > GATHER_MS - LOOK_EVERY_MS
    return isOld || isIdle || this.#wanted !== undefined || batch !== this.#batches.at(-1)
  }

  async #store(batch: Batch): Promise<void> {
    const { history, spool, metrics } = this.#parts
    const { signal } = this.#stopping
    batch.isSent = true
    const rows = Buffer.from(batch.lines.join(''))
    for (let pauseMs = LOOK_EVERY_MS; !signal.aborted; pauseMs *= 2) {
      try {
        await Promise.all([spool.reserve(batch.lastId), history.append(rows, batch.token)])
        if (signal.aborted) return
        this.#failure = undefined
        this.#outage.worked()
        metrics.moved(batch.count)
        this.#batches.shift()
        this.#end(batch)
        return
      } catch (error) {
        if (signal.aborted) return
        this.#fail(error)
        await wait(Math.min(pauseMs, MAX_PAUSE_MS), undefined, { signal }).catch(() => {})
      }
    }
  }

  #fail(error: unknown): void {
    this.#failure = error instanceof Error ? error.message : String(error)
    this.#outage.failed(error)
    this.#nextFailure.reject(error)
    this.#nextFailure = silent()
  }

  #end(batch: Batch, error?: Error): void {
    const { count, bytes, stored } = batch
    if (batch === this.#wanted) this.#wanted = undefined
    this.#waitingBytes -= bytes
    this.#waitingSamples -= count
    if (error) stored.reject(error)
    else stored.resolve()
    if (this.isFull) return
    this.#room?.resolve()
    this.#room = undefined
  }
}

const stopped = () => new Error('the platform stops')

/** Whoever waits sees a failure. If nobody waits, it must not end the process. */
function silent(): PromiseWithResolvers<void> {
  const promise = Promise.withResolvers<void>()
  promise.promise.catch(() => {})
  return promise
}
