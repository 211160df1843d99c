import type { Store } from './store/store.ts'

/** The QoS 2 messages of each sender that were received and not yet released. [MQTT 4.3.3] */
export class Receipts {
  readonly #store: Store
  /** Client name -> message id -> the packet that is being handled, or true when it was handled. */
  readonly #received = new Map<string, Map<number, object | true>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Restores the receipts of a kept session whose client connects again. */
  restore(id: string, messageIds: number[]): void {
    this.#received.set(id, new Map(messageIds.map((messageId) => [messageId, true])))
  }

  /** False if an earlier packet has this id and is not yet released. */
  receive(id: string, messageId: number, packet: object): boolean {
    let received = this.#received.get(id)
    if (!received) {
      received = new Map()
      this.#received.set(id, received)
    }
    if (received.has(messageId)) return false
    received.set(messageId, packet)
    return true
  }

  /** The packet could not be handled. Its sender will send it again. */
  unreceive(id: string, messageId: number, packet: object): void {
    const received = this.#received.get(id)
    if (received?.get(messageId) === packet) received.delete(messageId)
  }

  find(id: string, messageId: number): object | true | undefined {
    return this.#received.get(id)?.get(messageId)
  }

  settle(id: string, messageId: number): void {
    this.#received.get(id)?.set(messageId, true)
  }

  /** This is on disk before PUBCOMP is sent. After PUBCOMP the sender may use the id again. */
  release(id: string, messageId: number, key: number | undefined): Promise<void> {
    this.#received.get(id)?.delete(messageId)
    if (key === undefined) return Promise.resolve()
    return this.#store.write({ kind: 'release', key, messageId })
  }

  forget(id: string): void {
    this.#received.delete(id)
  }
}
