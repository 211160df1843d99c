/** Messages go on a few at a time. All at once they would be a new flood. */
const TICK_MS = 5
const MESSAGES_PER_TICK = 10

/**
 * Senders of messages that came too fast wait here, with a place for each such message. What they
 * send meanwhile stays with them (TCP), so the lane needs no memory for it. All senders together
 * get 2 000 places a second: the tenants take turns, and the senders of a tenant. [ADR-0037]
 */
export class SlowLane<Tenant, Sender> {
  /** In the order of their turns, each sender with the number of its places. */
  readonly #tenants = new Map<Tenant, Map<Sender, number>>()
  readonly #goOn: (sender: Sender) => void
  #timer: NodeJS.Timeout | undefined

  /** `goOn` is called when a sender has no place any more. */
  constructor(goOn: (sender: Sender) => void) {
    this.#goOn = goOn
  }

  add(tenant: Tenant, sender: Sender): void {
    const senders = this.#tenants.get(tenant) ?? new Map<Sender, number>()
    this.#tenants.set(tenant, senders)
    senders.set(sender, (senders.get(sender) ?? 0) + 1)
    this.#timer ??= setInterval(() => this.#letSomeGo(), TICK_MS)
  }

  remove(tenant: Tenant, sender: Sender): void {
    const senders = this.#tenants.get(tenant)
    if (!senders?.delete(sender) || senders.size > 0) return
    this.#tenants.delete(tenant)
    this.#stopIfEmpty()
  }

  #letSomeGo(): void {
    let left = MESSAGES_PER_TICK
    // A tenant goes behind the others, so the loop meets it again.
    for (const [tenant, senders] of this.#tenants) {
      if (left-- === 0) break
      this.#tenants.delete(tenant)
      this.#tenants.set(tenant, senders)
      this.#letOneGo(tenant, senders)
    }
    this.#stopIfEmpty()
  }

  #letOneGo(tenant: Tenant, senders: Map<Sender, number>): void {
    for (const [sender, places] of senders) {
      senders.delete(sender)
      // A sender with more places goes behind the others.
      if (places > 1) senders.set(sender, places - 1)
      if (senders.size === 0) this.#tenants.delete(tenant)
      if (places === 1) this.#goOn(sender)
      return
    }
  }

  #stopIfEmpty(): void {
    if (this.#tenants.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
