import { Readable } from 'node:stream'
import type { Client, PublishPacket, Subscription } from 'aedes'
import type { KeptState } from './kept.ts'

type Named = Pick<Client, 'id'>
type Numbered = { messageId: number }

/** Stands for no filter, because nobody can subscribe to `$`. */
const noFilter = { topic: '$kept', qos: 0 as const }

/**
 * What Aedes calls persistence, with the method names of Aedes. Messages are queued and retained
 * before Aedes publishes them, because Aedes would acknowledge QoS 1 first: see `KeptState`.
 */
export class Persistence {
  readonly #kept: KeptState
  readonly #seal: (client: Named) => string | undefined
  readonly #unsubscribed: (client: Named, filters: string[]) => void

  constructor(
    kept: KeptState,
    options: {
      /** Undefined: its session is no longer valid. */
      seal: (client: Named) => string | undefined
      unsubscribed: (client: Named, filters: string[]) => void
    }
  ) {
    this.#kept = kept
    this.#seal = options.seal
    this.#unsubscribed = options.unsubscribed
  }

  async setup(): Promise<void> {
    await Promise.resolve() // Aedes accepts only a function declared `async`.
  }

  incomingGetPacket({ id }: Named, packet: Numbered): Promise<object | true> {
    const found = this.#kept.receipts.find(id, packet.messageId)
    // The packet that is being handled finds itself: it is no duplicate.
    if (found === undefined || found === packet) return Promise.reject(new Error('no such packet'))
    return Promise.resolve(found)
  }

  incomingStorePacket({ id }: Named, { messageId }: Numbered): Promise<void> {
    this.#kept.receipts.settle(id, messageId)
    return Promise.resolve()
  }

  incomingDelPacket(client: Named, { messageId }: Numbered): Promise<void> {
    const key = this.#kept.sessions.find(client)?.key
    return this.#kept.receipts.release(client.id, messageId, key)
  }

  cleanIncoming({ id }: Named): Promise<void> {
    this.#kept.receipts.forget(id)
    return Promise.resolve()
  }

  /**
   * `Deliveries` subscribes to each filter, because Aedes also gives filters that were not granted.
   */
  addSubscriptions(client: Named): Promise<void> {
    return this.#kept.sessions.find(client)?.written ?? Promise.resolve()
  }

  removeSubscriptions(client: Named, filters: string[]): Promise<void> {
    // At once, because the next SUBSCRIBE is granted before Aedes reports that this is done.
    this.#unsubscribed(client, filters)
    const session = this.#kept.sessions.find(client)
    if (session) this.#kept.sessions.unsubscribe(session, filters)
    return session?.written ?? Promise.resolve()
  }

  /** [MQTT 3.2.2-2] Aedes thinks that a session without filters does not exist. */
  subscriptionsByClient(client: Named): Promise<Subscription[]> {
    const session = this.#kept.sessions.find(client)
    if (!session || session.isNew) return Promise.resolve([])
    const filters = Array.from(session.filters.values(), ({ session: _, ...filter }) => filter)
    return Promise.resolve(filters.length > 0 ? filters : [noFilter])
  }

  subscriptionsByTopic(): Promise<[]> {
    return Promise.resolve([])
  }

  cleanSubscriptions({ id }: Named): Promise<void> {
    return this.#kept.sessions.end(id)
  }

  outgoingEnqueueCombi(): Promise<void> {
    return Promise.resolve()
  }

  outgoingEnqueue(): Promise<void> {
    return Promise.resolve()
  }

  outgoingUpdate(client: Named, packet: { cmd: string; messageId?: number }): Promise<void> {
    const feed = this.#kept.sessions.find(client)?.feed
    if (packet.cmd !== 'pubrel' || !feed) return Promise.resolve()
    return feed.release(packet.messageId ?? 0)
  }

  /** Without an id Aedes has only decided not to send the message now. */
  outgoingClearMessageId(client: Named, { messageId }: { messageId?: number }): Promise<void> {
    if (messageId) this.#kept.sessions.find(client)?.feed?.acknowledge(messageId)
    return Promise.resolve()
  }

  outgoingStream(client: Named): Readable {
    return Readable.from(this.#kept.sessions.find(client)?.feed?.sentBefore() ?? [])
  }

  storeRetained(): Promise<void> {
    return Promise.resolve()
  }

  /** `Deliveries` sends the retained messages. */
  createRetainedStreamCombi(): Readable {
    return Readable.from([])
  }

  putWill(client: Client, will: PublishPacket): Promise<void> {
    Object.assign(will, { clientId: client.id })
    const sealed = this.#seal(client)
    if (client.closed || sealed === undefined) return Promise.resolve()
    return this.#kept.wills.put(client, will, sealed)
  }

  delWill({ id }: Named): Promise<void> {
    return this.#kept.wills.remove(id)
  }

  /** `Broker` sends the wills of the last process. */
  streamWill(): Readable {
    return Readable.from([])
  }
}
