import { Tally } from './tally.ts'

/** The caller already has as many running and waiting calls as allowed. */
export class TooManyAtOnce extends Error {}
/** No slot became free in time. */
export class TooBusy extends Error {}

export type SlotLimits = {
  /** Running calls of all callers. */
  atOnce: number
  /** Running calls of one caller. */
  each?: number
  /** Slots only for callers with `mayTakeKept`, in addition to their own. */
  kept?: number
  /** The longest wait for a slot; 0: no limit. */
  waitMs?: number
}

/** A caller asks for a slot; it may have `most` running and waiting calls together. */
export type SlotTurn = {
  caller: string
  most: number
  mayTakeKept?: boolean
  /** Aborts when the caller no longer waits. */
  signal?: AbortSignal
}

type Waiter = { begin: () => void; mayTakeKept: boolean }

/**
 * Slots for slow work that all callers share. Callers take turns, so that no caller can block
 * another.
 */
export class FairSlots {
  readonly #limits: Required<SlotLimits>
  /** Waiting calls by caller. The caller whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiter[]>()
  /** Running and waiting calls by caller. */
  readonly #counts = new Tally()
  readonly #running = new Tally()
  /** Running calls without `mayTakeKept`. */
  #ordinary = 0

  constructor(limits: SlotLimits) {
    this.#limits = { each: limits.atOnce, kept: 0, waitMs: 0, ...limits }
  }

  /**
   * Rejects with `TooManyAtOnce` before the work begins, when the caller already has `most` calls.
   */
  async run<T>(turn: SlotTurn, work: () => Promise<T>): Promise<T> {
    const free = await this.take(turn)
    return work().finally(free)
  }

  /**
   * Resolves with a function that frees the slot. Rejects like `run`, with `TooBusy`, or with the
   * signal's reason.
   */
  async take({ caller, most, mayTakeKept = false, signal }: SlotTurn): Promise<() => void> {
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

  /** Gives free slots to the next callers that may have one. Each of them then goes to the end. */
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
