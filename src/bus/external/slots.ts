import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Slot } from './slot.ts'

type SlotName = `slot ${number}`
/** Decides which node reads which session. A claim may be lost at any time. */
export type SlotClaims = {
  take(claim: SlotName): Promise<boolean>
  release(claim: SlotName): Promise<void>
  setReading(isReading: boolean): Promise<void>
  readers(): Promise<number | undefined>
}

/** The most that a platform can have, whatever BUS_SLOTS is now. */
const MAX_SLOTS = 16
const SHARE_EVERY_MS = 1000
const FINISH_AGAIN_MS = 10_000

/** The sessions at the broker that this node reads. No session is without a reader for long. */
export class Slots {
  readonly #count: number
  readonly #claims: SlotClaims
  readonly #open: (number: number) => Slot
  readonly #finish: (number: number, signal: AbortSignal) => Promise<void>
  readonly #log: Pick<Logger, 'error'>
  readonly #held = new Map<number, Slot>()
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #finishing: Promise<void> = Promise.resolve()

  constructor(options: {
    count: number
    claims: SlotClaims
    open: (number: number) => Slot
    /** Ends a session for good when no message waits in it. */
    finish: (number: number, signal: AbortSignal) => Promise<void>
    log: Pick<Logger, 'error'>
  }) {
    this.#count = options.count
    this.#claims = options.claims
    this.#open = options.open
    this.#finish = options.finish
    this.#log = options.log
  }

  get held(): Iterable<Slot> {
    return this.#held.values()
  }

  holds(number: number): boolean {
    return this.#held.has(number)
  }

  get size(): number {
    return this.#held.size
  }

  /** Resolves when this node has its share of the sessions, as far as they are free. */
  async start(): Promise<void> {
    const surplus = Array.from({ length: MAX_SLOTS - this.#count }, (_, i) => this.#count + i)
    const finishing = this.#finishAll(surplus)
    this.#finishing = finishing.then((left) => this.#finishLater(left))
    // First, because a session that reads alone gets all messages, and these would get them too.
    await finishing
    await this.#claims.setReading(true)
    await this.#goOn()
  }

  #goOn(): Promise<void> {
    this.#round = this.#share()
      .catch((err) =>
        this.#log.error({ err }, 'the sessions at the broker could not be shared among the nodes')
      )
      .finally(() => {
        if (!this.#isStopped) this.#timer = setTimeout(() => void this.#goOn(), SHARE_EVERY_MS)
      })
    return this.#round
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await Promise.all([this.#round, this.#finishing])
    // First, so that the others take what is given back.
    await this.#claims.setReading(false)
    await this.#giveBack([...this.#held])
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #share(): Promise<void> {
    const share = Math.ceil(this.#count / ((await this.#claims.readers()) || 1))
    for (const [number, slot] of this.#held) {
      if (await this.#claims.take(`slot ${number}`)) continue
      this.#held.delete(number)
      void slot.drop()
    }
    for (let number = 0; number < this.#count && this.#held.size < share; number++) {
      if (this.#isStopped) return
      if (this.#held.has(number) || !(await this.#claims.take(`slot ${number}`))) continue
      this.#held.set(number, this.#open(number))
    }
    await this.#giveBack([...this.#held].slice(share))
  }

  /**
   * Ends sessions from a time with more slots. The broker would send them messages that nobody
   * reads. Returns those that are not ended yet.
   */
  async #finishAll(numbers: readonly number[]): Promise<number[]> {
    const { signal } = this.#stopping
    const left: number[] = []
    for (const number of numbers) if (!(await this.#finished(number, signal))) left.push(number)
    return left
  }

  async #finishLater(numbers: readonly number[]): Promise<void> {
    const { signal } = this.#stopping
    for (let left = numbers; left.length > 0 && !signal.aborted; ) {
      await wait(FINISH_AGAIN_MS, undefined, { signal }).catch(() => {})
      left = await this.#finishAll(left)
    }
  }

  /** False if another node has the session, because it still runs with the old number of slots. */
  async #finished(number: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || !(await this.#claims.take(`slot ${number}`))) return false
    try {
      await this.#finish(number, signal)
      return true
    } catch (err) {
      if (!signal.aborted)
        this.#log.error({ err }, 'a session that is no longer needed could not be ended')
      return false
    } finally {
      await this.#claims.release(`slot ${number}`)
    }
  }

  /** The connection ends first, because two readers of one session end each other. */
  async #giveBack(slots: [number: number, slot: Slot][]): Promise<void> {
    for (const [number] of slots) this.#held.delete(number)
    await Promise.all(slots.map(([, slot]) => slot.letGo()))
    for (const [number] of slots) await this.#claims.release(`slot ${number}`)
  }
}
