import { SECOND } from '../../lib/unix-time.ts'
import type { WorkerLane } from './worker-lane.ts'

type Lane<Target> = { [Name in keyof Target]: (...args: never[]) => unknown }
export type PoolOptions = { most: number; idleMs?: number | undefined }

/** A thread keeps about 12 MiB, and up to 40 MiB after long queries. */
const IDLE_MS = 60 * SECOND

/**
 * Picks the thread with the fewest calls. While all are busy, it starts one more. Threads without
 * calls end after a while.
 */
export class LanePool<Target extends Lane<Target>> {
  readonly #start: () => WorkerLane<Target>
  readonly #most: number
  readonly #idleMs: number
  #lanes: WorkerLane<Target>[] = []
  readonly #ending = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #isUsed = false
  #isClosed = false

  constructor(start: () => WorkerLane<Target>, { most, idleMs = IDLE_MS }: PoolOptions) {
    this.#start = start
    this.#most = most
    this.#idleMs = idleMs
  }

  get lanes(): readonly WorkerLane<Target>[] {
    return this.#lanes
  }

  get hasTwoIdle(): boolean {
    return this.#lanes.filter(({ load }) => load > 0).length <= this.#most - 2
  }

  idlest(): WorkerLane<Target> {
    if (this.#isClosed) throw new Error('History is closed')
    this.#isUsed = true
    this.#timer ??= setInterval(() => this.#endIdle(), this.#idleMs).unref()
    const [idlest] = this.#lanes.toSorted((a, b) => a.load - b.load)
    if (idlest?.load === 0 || (idlest && this.#lanes.length >= this.#most)) return idlest
    const lane = this.#start()
    // The caller of the lane gets the error of the start.
    lane.ready().catch(() => {})
    this.#lanes.push(lane)
    return lane
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await Promise.all([...this.#lanes.map((lane) => lane.close()), ...this.#ending])
  }

  /** Twice in a row nobody asked: threads without calls end. One that failed stays and tells why. */
  #endIdle(): void {
    const wasUsed = this.#isUsed
    this.#isUsed = false
    if (wasUsed) return
    const isIdle = ({ load, failure }: WorkerLane<Target>) => load === 0 && failure === undefined
    const { idle = [], kept = [] } = Object.groupBy(this.#lanes, (lane) =>
      isIdle(lane) ? 'idle' : 'kept'
    )
    this.#lanes = kept
    for (const lane of idle) {
      const ending = lane.close().catch(() => {})
      this.#ending.add(ending)
      ending.finally(() => this.#ending.delete(ending))
    }
    if (this.#lanes.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
