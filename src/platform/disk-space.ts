import type { FastifyBaseLogger } from 'fastify'
import { freeSpace } from '../lib/free-space.ts'
import { SECOND } from '../lib/unix-time.ts'

type Options = { path: string; reserve: number; log: Pick<FastifyBaseLogger, 'info' | 'error'> }

/** Longer than a slow disk needs for the uploaded data. */
const MAX_ANSWER_MS = 5 * SECOND

/** Enough for a batch of history, and more than the usual changes of other files. */
const FREED_BYTES = 64 * 1024 * 1024

/**
 * Watches the free space of a directory. With less free space than the reserve, no sample is
 * acknowledged. So acknowledged samples stay safe, and an operator can still sign in.
 */
export class DiskSpace {
  readonly #options: Options
  #free = Number.POSITIVE_INFINITY
  /** The least free space since the last call of `#freed`. */
  #least = Number.POSITIVE_INFINITY
  #freed: () => void = () => {}
  #timer: NodeJS.Timeout | undefined
  #waiting = Promise.withResolvers<void>()
  #askedAt: number | undefined
  #hasFailed = false
  #wasAnswering = true
  #wasEnough = true

  constructor(options: Options) {
    this.#options = options
  }

  async start(): Promise<void> {
    this.#free = await freeSpace(this.#options.path)
    this.#timer = setInterval(() => this.#look(), SECOND)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  get free(): number {
    return this.#hasFailed ? 0 : this.#free
  }

  /**
   * A directory that cannot be read counts as full. A directory that is only slow keeps its last
   * value: the thread pool may be busy, and a disk that hangs stores and acknowledges nothing
   * anyway.
   */
  get isEnough(): boolean {
    return !this.#hasFailed && this.#free >= this.#options.reserve
  }

  /** When false, do not use the directory: it fails, or it hangs and blocks a thread. */
  get isAnswering(): boolean {
    const isLate = this.#askedAt !== undefined && performance.now() - this.#askedAt > MAX_ANSWER_MS
    return !this.#hasFailed && !isLate
  }

  /** Resolves when there is enough space again. */
  async whenEnough(): Promise<void> {
    while (!this.isEnough) await this.#waiting.promise
  }

  /** The listener is called when much space is free again, even below the reserve. */
  onFreed(listener: () => void): void {
    this.#freed = listener
  }

  /** Asks only once at a time, because each question blocks a thread of the pool. */
  #look(): void {
    if (this.#askedAt === undefined) void this.#ask()
    else this.#report()
  }

  async #ask(): Promise<void> {
    this.#askedAt = performance.now()
    try {
      this.#free = await freeSpace(this.#options.path)
      this.#hasFailed = false
      this.#least = Math.min(this.#least, this.#free)
      if (this.#free - this.#least >= FREED_BYTES) {
        this.#least = this.#free
        this.#freed()
      }
    } catch (err) {
      this.#hasFailed = true
      this.#report(err)
    }
    this.#askedAt = undefined
    this.#report()
    this.#reportRoom()
    if (!this.isEnough) return
    this.#waiting.resolve()
    this.#waiting = Promise.withResolvers()
  }

  /** Logs one line when the directory stops answering and one when it answers again. */
  #report(err?: unknown): void {
    const { path, log } = this.#options
    if (this.isAnswering === this.#wasAnswering) return
    this.#wasAnswering = this.isAnswering
    if (this.isAnswering) log.info({ path }, 'the directory answers again')
    else log.error({ path, err }, 'the directory does not answer')
  }

  /** Logs one line when the reserve is reached and one when there is space again. */
  #reportRoom(): void {
    const { path, reserve, log } = this.#options
    if (this.#hasFailed || this.isEnough === this.#wasEnough) return
    this.#wasEnough = this.isEnough
    const fields = { path, free: this.#free, reserve }
    if (this.isEnough) log.info(fields, 'the disk has space again')
    else log.error(fields, 'the disk is full up to its reserve: free space on it')
  }
}
