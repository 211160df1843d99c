import type { Logger } from 'pino'
import type { Slot } from './slot.ts'

type SlotName = `slot ${number}`
/** Which node reads which session; a claim may be lost at any time. */
export type SlotClaims = {
  take(claim: SlotName): Promise<boolean>
  release(claim: SlotName): Promise<void>
  nodes(): Promise<number | undefined>
}

export const SLOTS = 8
const ASK_EVERY = 1000

/** This node's share of the sessions at the broker: none is left without a reader for long. */
export class Slots {
  readonly #claims: SlotClaims
  readonly #open: (number: number) => Slot
  readonly #log: Pick<Logger, 'error'>
  readonly #held = new Map<number, Slot>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #round: Promise<void> = Promise.resolve()

  constructor(options: {
    claims: SlotClaims
    open: (number: number) => Slot
    log: Pick<Logger, 'error'>
  }) {
    this.#claims = options.claims
    this.#open = options.open
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

  /** Resolves when this node has its share, as far as it is free. */
  start(): Promise<void> {
    this.#round = this.#share()
      .catch((err) => this.#log.error({ err }, 'sessions at the broker could not be shared out'))
      .finally(() => {
        if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), ASK_EVERY)
      })
    return this.#round
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#round
    await this.#giveBack([...this.#held])
  }

  async #share(): Promise<void> {
    const share = Math.ceil(SLOTS / ((await this.#claims.nodes()) ?? 1))
    for (const [number, slot] of this.#held) {
      if (await this.#claims.take(`slot ${number}`)) continue
      this.#held.delete(number)
      void slot.drop()
    }
    for (let number = 0; number < SLOTS && this.#held.size < share; number++) {
      if (this.#isStopped) return
      if (this.#held.has(number) || !(await this.#claims.take(`slot ${number}`))) continue
      this.#held.set(number, this.#open(number))
    }
    await this.#giveBack([...this.#held].slice(share))
  }

  /** The connection ends first: two readers of one session throw each other out. */
  async #giveBack(slots: [number: number, slot: Slot][]): Promise<void> {
    for (const [number] of slots) this.#held.delete(number)
    await Promise.all(slots.map(([, slot]) => slot.letGo()))
    for (const [number] of slots) await this.#claims.release(`slot ${number}`)
  }
}
