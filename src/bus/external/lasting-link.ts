import { setTimeout as wait } from 'node:timers/promises'
import type { Link } from './link.ts'

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 1000
/** After a connection that lasted longer, the pauses are short again. */
const STEADY_MS = 10_000

/** A connection to the broker. If it ends, it is opened again, until `stop` is called. */
export class LastingLink {
  readonly #open: (signal: AbortSignal) => Promise<Link>
  readonly #onChange: () => void
  readonly #stopping = new AbortController()
  #opening = new AbortController()
  #link: Link | undefined
  #failure: Error | undefined
  #running: Promise<void> = Promise.resolve()

  /** `open` also subscribes. The link is up when it resolves. */
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

  /** Undefined while there is no connection. */
  get link(): Link | undefined {
    return this.#link?.isUp ? this.#link : undefined
  }

  /** Why there is no connection. Also undefined before the first attempt has ended. */
  get failure(): Error | undefined {
    return this.link ? undefined : this.#failure
  }

  start(): void {
    this.#running = this.#run()
  }

  /** `part` ends the link if it is open. */
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
      if (performance.now() - began > STEADY_MS) tries = 0
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

/** Longer after each attempt. It is random, so that nodes do not try at the same time. */
const pauseAfter = (tries: number): number =>
  Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + Math.random() / 2)
