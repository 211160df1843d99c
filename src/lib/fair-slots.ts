import { Tally } from './tally.ts'

/** A caller has as much under way and waiting as it may. */
export class TooManyAtOnce extends Error {}
/** No slot became free in time. */
export class TooBusy extends Error {}

export type SlotLimits = {
  /** Under way at the same time, of all callers. */
  atOnce: number
  /** Of one caller. */
  each?: number
  /** Slots that only those may take who say so; they have these beside their own. */
  kept?: number
  /** How long somebody waits for a slot. */
  waitMs?: number
}

/** Whose slot it is; `most` under way and waiting together. */
export type Turn = {
  caller: string
  most: number
  mayTakeKept?: boolean
  /** Aborts when nobody waits for the work any more. */
  signal?: AbortSignal
}

type Waiter = { begin: () => void; mayTakeKept: boolean }

/** Slow work that all share: callers take turns, so that nobody waits for all that another asked for. */
export class FairSlots {
  readonly #limits: Required<SlotLimits>
  /** What waits, by caller; whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiter[]>()
  /** Under way and waiting, by caller. */
  readonly #counts = new Tally()
  readonly #running = new Tally()
  /** Of those who may not take the kept ones. */
  #ordinary = 0

  constructor(limits: SlotLimits) {
    this.#limits = { each: limits.atOnce, kept: 0, waitMs: 0, ...limits }
  }

  /** Rejects with `TooManyAtOnce`, before anything was done, when the caller has `most` already. */
  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    const free = await this.take(turn)
    return work().finally(free)
  }

  /** Resolves with what frees the slot again. Rejects as `run` does, with `TooBusy`, or as the signal says. */
  async take({ caller, most, mayTakeKept = false, signal }: Turn): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#counts.of(caller) >= most) throw new TooManyAtOnce()
    this.#counts.add(caller, 1)
    try {
      if (this.#hasRoom(caller, mayTakeKept)) this.#begin(caller, mayTakeKept)
      else await this.#wait(caller, mayTakeKept, signal)
    } catch (error) {
      this.#counts.add(caller, -1)
      throw error
    }
    let isFree = false
    return () => {
      if (isFree) return
      isFree = true
      this.#free(caller, mayTakeKept)
    }
  }

  #hasRoom(caller: string, mayTakeKept: boolean): boolean {
    const { atOnce, each, kept } = this.#limits
    const own = this.#running.of(caller)
    if (mayTakeKept) return this.#running.total < atOnce && own < each + kept
    return this.#running.total < atOnce && this.#ordinary < atOnce - kept && own < each
  }

  #begin(caller: string, mayTakeKept: boolean): void {
    this.#running.add(caller, 1)
    if (!mayTakeKept) this.#ordinary++
  }

  #free(caller: string, mayTakeKept: boolean): void {
    this.#counts.add(caller, -1)
    this.#running.add(caller, -1)
    if (!mayTakeKept) this.#ordinary--
    this.#giveOn()
  }

  async #wait(caller: string, mayTakeKept: boolean, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { begin: resolve, mayTakeKept }
    const queue = this.#waiting.get(caller)
    if (queue) queue.push(waiter)
    else this.#waiting.set(caller, [waiter])
    const leave = (error: unknown) => {
      this.#leave(caller, waiter)
      reject(error)
    }
    const abandon = () => leave(signal?.reason)
    signal?.addEventListener('abort', abandon, { once: true })
    const { waitMs } = this.#limits
    const timer = waitMs > 0 ? setTimeout(() => leave(new TooBusy()), waitMs) : undefined
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abandon)
    }
  }

  #leave(caller: string, waiter: Waiter): void {
    const left = this.#waiting.get(caller)?.filter((other) => other !== waiter) ?? []
    if (left.length > 0) this.#waiting.set(caller, left)
    else this.#waiting.delete(caller)
  }

  /** What is free goes to those whose turn it is and who may have it; who got one stands at the end. */
  #giveOn(): void {
    for (const [caller, [first, ...rest]] of [...this.#waiting]) {
      if (this.#running.total >= this.#limits.atOnce) return
      if (!first || !this.#hasRoom(caller, first.mayTakeKept)) continue
      this.#waiting.delete(caller)
      if (rest.length > 0) this.#waiting.set(caller, rest)
      this.#begin(caller, first.mayTakeKept)
      first.begin()
    }
  }
}
