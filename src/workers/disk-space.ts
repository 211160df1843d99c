import { statfs } from 'node:fs/promises'
import { SECOND } from '../lib/unix-time.ts'

/**
 * Watches the free space of the data directory. Below the reserve no sample is acknowledged, so that
 * what was acknowledged stays safe and an operator can still sign in.
 */
export class DiskSpace {
  readonly #path: string
  readonly #reserve: number
  #free = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #waiting = Promise.withResolvers<void>()

  constructor(path: string, reserve: number) {
    this.#path = path
    this.#reserve = reserve
  }

  async start(): Promise<void> {
    await this.#look()
    this.#timer = setInterval(() => void this.#look(), SECOND)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  get free(): number {
    return this.#free
  }

  get isEnough(): boolean {
    return this.#free >= this.#reserve
  }

  /** Resolves when there is room again. */
  async whenEnough(): Promise<void> {
    while (!this.isEnough) await this.#waiting.promise
  }

  async #look(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#path)
    this.#free = bavail * bsize
    if (!this.isEnough) return
    this.#waiting.resolve()
    this.#waiting = Promise.withResolvers()
  }
}
