/** Messages go on a few at a time. All at once they would be a new flood. */
const TICK_MS = 5
const MESSAGES_PER_TICK = 10

/**
 * Senders of messages that came too fast wait here, with a place for each such message. What they
 * send meanwhile stays with them (TCP), so the lane needs no memory for it. All senders together
 * get 2 000 places a second, in turns. [ADR-0037]
 */
export class SlowLane<Sender> {
  /** In the order of their turns, with the number of their places. */
  readonly #senders = new Map<Sender, number>()
  readonly #goOn: (sender: Sender) => void
  #timer: NodeJS.Timeout | undefined

  /** `goOn` is called when a sender has no place any more. */
  constructor(goOn: (sender: Sender) => void) {
    this.#goOn = goOn
  }

  has(sender: Sender): boolean {
    return this.#senders.has(sender)
  }

  add(sender: Sender): void {
    this.#senders.set(sender, (this.#senders.get(sender) ?? 0) + 1)
    this.#timer ??= setInterval(() => this.#letSomeGo(), TICK_MS)
  }

  remove(sender: Sender): void {
    this.#senders.delete(sender)
    this.#stopIfEmpty()
  }

  #letSomeGo(): void {
    let left = MESSAGES_PER_TICK
    for (const [sender, places] of this.#senders) {
      if (left-- === 0) break
      this.#senders.delete(sender)
      // A sender with more places goes behind the others.
      if (places > 1) this.#senders.set(sender, places - 1)
      else this.#goOn(sender)
    }
    this.#stopIfEmpty()
  }

  #stopIfEmpty(): void {
    if (this.#senders.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
