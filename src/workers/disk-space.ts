import { statfs } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { SECOND } from '../lib/unix-time.ts'

type Options = { path: string; reserve: number; log: Pick<FastifyBaseLogger, 'info' | 'error'> }

/** Longer than a slow disk is busy with what was uploaded. */
const PATIENCE = 5 * SECOND

/** What a batch of history needs, and more than files that come and go. */
const FREED_BYTES = 64 * 1024 * 1024

/**
 * Watches the free space of a directory. Below the reserve of the data directory no sample is
 * acknowledged, so that what was acknowledged stays safe and an operator can still sign in.
 */
export class DiskSpace {
  readonly #options: Options
  #free = Number.POSITIVE_INFINITY
  /** Since space came back last. */
  #least = Number.POSITIVE_INFINITY
  #freed: () => void = () => {}
  #timer: NodeJS.Timeout | undefined
  #waiting = Promise.withResolvers<void>()
  #askedAt: number | undefined
  #hasFailed = false
  #wasAnswering = true

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
   * A directory that cannot be read is one without room. One that just takes long has what it had:
   * the pool may be busy with others, and a disk that hangs stores and so acknowledges nothing.
   */
  get isEnough(): boolean {
    return !this.#hasFailed && this.#free >= this.#options.reserve
  }

  /** Otherwise nothing should be asked of the directory: it fails, or hangs and keeps a thread. */
  get isAnswering(): boolean {
    const isLate = this.#askedAt !== undefined && performance.now() - this.#askedAt > PATIENCE
    return !this.#hasFailed && !isLate
  }

  /** Resolves when there is room again. */
  async whenEnough(): Promise<void> {
    while (!this.isEnough) await this.#waiting.promise
  }

  /** Called when a good deal of space has come back, also below the reserve. */
  onFreed(listener: () => void): void {
    this.#freed = listener
  }

  /** Never a second question while one is open: each keeps a thread of the pool. */
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
    if (!this.isEnough) return
    this.#waiting.resolve()
    this.#waiting = Promise.withResolvers()
  }

  /** One line when it is away and one when it is back. */
  #report(err?: unknown): void {
    const { path, log } = this.#options
    if (this.isAnswering === this.#wasAnswering) return
    this.#wasAnswering = this.isAnswering
    if (this.isAnswering) log.info({ path }, 'the directory is back')
    else log.error({ path, err }, 'the directory does not answer')
  }
}

async function freeSpace(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}
