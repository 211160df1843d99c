import { getHeapStatistics } from 'node:v8'
import { MINUTE, SECOND } from './unix-time.ts'

const LOOK_EVERY_MS = 5 * SECOND
/** Of one core. The timers of the main thread alone use up to two percent. */
const MAX_SHARE_AT_REST = 0.05
/** In the time between two looks. Probes of health and metrics may ask, and others would wait. */
const MAX_ASKED_AT_REST = 5
/**
 * A collection takes up to 70 ms of the thread, and more if much of the heap is used. So it must be
 * worth it, and happen seldom.
 */
const MIN_GROWTH_BYTES = 8 * 2 ** 20
const MIN_TIME_BETWEEN_MS = 10 * MINUTE
/** The next one comes after so many times as long as this one took. */
const TIMES_AS_LONG = 10_000

/** What is seen of a thread, and what can be done. */
export type Heap = {
  /** CPU time of the thread so far. */
  cpuMs(): number
  /** Memory that the heap takes from the system, with what is free in it. */
  bytes(): number
  /** How often others have asked the thread for something so far. */
  asked(): number
  collect(): Promise<void>
}

/**
 * V8 keeps the memory that a thread needed at its busiest moment. A thread that was busy, also with
 * its start, and is at rest now gives back what it does not use.
 */
export class GiveBack {
  readonly #heap: Heap
  #cpuMs: number
  /** After the last collection. */
  #bytes = 0
  #asked = 0
  #looksToWait = 0

  constructor(heap: Heap) {
    this.#heap = heap
    this.#cpuMs = heap.cpuMs()
  }

  /** To be called when nobody waits for the thread. */
  async collect(): Promise<void> {
    await this.#heap.collect()
    const tookMs = this.#heap.cpuMs() - this.#cpuMs
    this.#cpuMs += tookMs
    this.#bytes = this.#heap.bytes()
    this.#looksToWait = Math.max(MIN_TIME_BETWEEN_MS, tookMs * TIMES_AS_LONG) / LOOK_EVERY_MS
  }

  /** To be called every five seconds. */
  async look(): Promise<void> {
    const used = this.#heap.cpuMs() - this.#cpuMs
    this.#cpuMs += used
    const asked = this.#heap.asked() - this.#asked
    this.#asked += asked
    if (--this.#looksToWait > 0) return
    if (used > LOOK_EVERY_MS * MAX_SHARE_AT_REST || asked > MAX_ASKED_AT_REST) return
    if (this.#heap.bytes() < this.#bytes + MIN_GROWTH_BYTES) return
    await this.collect()
  }
}

/** Of the thread that calls it. It does not keep the thread alive. */
export function giveBackAtRest(asked = ownHeap.asked): GiveBack {
  const giveBack = new GiveBack({ ...ownHeap, asked })
  setInterval(() => void giveBack.look().catch(() => {}), LOOK_EVERY_MS).unref()
  return giveBack
}

export const ownHeap: Heap = {
  cpuMs() {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
  bytes: () => getHeapStatistics().total_physical_size,
  asked: () => 0,
  /** No other call of Node gives the pages back: `gc` keeps them for later. */
  async collect() {
    const { Session } = await import('node:inspector/promises')
    const session = new Session()
    session.connect()
    try {
      await session.post('HeapProfiler.collectGarbage')
    } finally {
      session.disconnect()
    }
  }
}
