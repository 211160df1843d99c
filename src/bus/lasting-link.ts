import { setTimeout as wait } from 'node:timers/promises'
import type { Link } from './link.ts'

const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1000
/** A connection that lasted this long was a good one. */
const STEADY = 10_000

/** A connection to the broker that is opened again when it ends, until it is stopped. */
export class LastingLink {
  readonly #open: (signal: AbortSignal) => Promise<Link>
  readonly #onChange: () => void
  readonly #stopping = new AbortController()
  #opening = new AbortController()
  #link: Link | undefined
  #failure: Error | undefined
  #running: Promise<void> = Promise.resolve()

  /** `open` also subscribes: the link counts as up when it resolves. */
  constructor({
    open,
    onChange
  }: {
    open: (signal: AbortSignal) => Promise<Link>
    onChange: () => void
  }) {
    this.#open = open
    this.#onChange = onChange
  }

  /** Undefined while there is none. */
  get link(): Link | undefined {
    return this.#link?.isUp ? this.#link : undefined
  }

  /** Why there is none; undefined also before the first try has ended. */
  get failure(): Error | undefined {
    return this.link ? undefined : this.#failure
  }

  start(): void {
    this.#running = this.#run()
  }

  /** `part` says goodbye to the link that is open. */
  async stop(part: (link: Link) => Promise<void> = (link) => link.end()): Promise<void> {
    this.#stopping.abort()
    if (this.link) await part(this.link)
    else this.#opening.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let tries = 0
    while (!signal.aborted) {
      const began = performance.now()
      await this.#hold(signal)
      if (performance.now() - began > STEADY) tries = 0
      await wait(pauseAfter(tries++), undefined, { signal }).catch(() => {})
    }
  }

  async #hold(signal: AbortSignal): Promise<void> {
    try {
      this.#opening = new AbortController()
      const link = await this.#open(this.#opening.signal)
      if (signal.aborted) return await link.end()
      this.#link = link
      this.#onChange()
      this.#failure = await link.ended
    } catch (error) {
      this.#failure = error as Error
    }
    this.#link = undefined
    if (!signal.aborted) this.#onChange()
  }
}

/** Longer each time, and never the same for two nodes. */
const pauseAfter = (tries: number): number =>
  Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries) * (0.5 + Math.random() / 2)
