import type { Client, PublishPacket } from 'aedes'
import type { KeptWill } from './store/changes.ts'
import { bytesOf, type Store } from './store/store.ts'

type Will = { client: Pick<Client, 'id' | 'closed'>; packet: PublishPacket }

/** The wills of open connections, and the wills that the last process did not send. */
export class Wills {
  readonly #store: Store
  readonly #open = new Map<string, Will>()
  readonly #left = new Map<string, KeptWill>()
  readonly #sending = new Map<string, Promise<void>>()
  #isStopping = false

  constructor(store: Store) {
    this.#store = store
  }

  restore(wills: KeptWill[]): void {
    for (const will of wills) this.#left.set(will.name, will)
  }

  /**
   * [MQTT 3.1.2.5] From now on connections end because the broker stops. Their wills stay on disk
   * and are sent at the next start.
   */
  withhold(): void {
    this.#isStopping = true
  }

  get areWithheld(): boolean {
    return this.#isStopping
  }

  put(client: Will['client'], packet: PublishPacket, sealed: string): Promise<void> {
    this.#open.set(client.id, { client, packet })
    const { topic, qos = 0, retain = false } = packet
    const payload = bytesOf(Buffer.from(packet.payload ?? ''))
    return this.#store.write({
      kind: 'will',
      name: client.id,
      sealed,
      topic,
      payload,
      qos,
      retain
    })
  }

  /**
   * The will was sent or refused, or the client sent DISCONNECT. The will of a newer connection
   * stays.
   */
  remove(id: string): Promise<void> {
    const will = this.#open.get(id)
    if (!will?.client.closed || this.#isStopping) return Promise.resolve()
    this.#open.delete(id)
    return this.#store.write({ kind: 'unwill', name: id })
  }

  leftBehind(): IteratorObject<string> {
    return [...this.#left.keys()].values()
  }

  /** Sends the will that the last process did not send for this client. */
  sendLeft(id: string, send: (will: KeptWill) => Promise<void>): Promise<void> {
    let sending = this.#sending.get(id)
    const will = this.#left.get(id)
    if (!sending && will) {
      sending = send(will)
        .then(() => {
          this.#left.delete(id)
          return this.#store.write({ kind: 'unwill', name: id })
        })
        .finally(() => this.#sending.delete(id))
      this.#sending.set(id, sending)
    }
    return sending ?? Promise.resolve()
  }
}
