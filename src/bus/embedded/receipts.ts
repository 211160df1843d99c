import type { Store } from './store/store.ts'

/** So many messages of a sender may wait for PUBREL, or with MQTT 5 for PUBACK. */
export const MAX_UNRELEASED = 1000

/** The QoS 2 messages of each sender that were received and not yet released. [MQTT 4.3.3] */
export class Receipts {
  readonly #store: Store
  /** By client name: the ids of the messages. */
  readonly #received = new Map<string, Set<number>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Restores the receipts of a kept session whose client connects again. */
  restore(id: string, messageIds: number[]): void {
    this.#received.set(id, new Set(messageIds))
  }

  /** Whether it is new, or was received before and is not yet released. */
  receive(id: string, messageId: number): 'new' | 'repeated' {
    let received = this.#received.get(id)
    if (!received) {
      received = new Set()
      this.#received.set(id, received)
    }
    if (received.has(messageId)) return 'repeated'
    received.add(messageId)
    return 'new'
  }

  has(id: string, messageId: number): boolean {
    return this.#received.get(id)?.has(messageId) === true
  }

  count(id: string): number {
    return this.#received.get(id)?.size ?? 0
  }

  /** The packet could not be handled. Its sender will send it again. */
  unreceive(id: string, messageId: number): void {
    this.#received.get(id)?.delete(messageId)
  }

  /** This is on disk before PUBCOMP is sent. After PUBCOMP the sender may use the id again. */
  release(id: string, messageId: number, key: number | undefined): Promise<void> {
    const isKnown = this.#received.get(id)?.delete(messageId)
    if (key === undefined || !isKnown) return Promise.resolve()
    return this.#store.write({ kind: 'release', key, messageId })
  }

  forget(id: string): void {
    this.#received.delete(id)
  }
}
