import { Readable } from 'node:stream'
import type { Client, PublishPacket, Subscription } from 'aedes'
import type { Kept } from './kept.ts'

type Named = Pick<Client, 'id'>
type Numbered = { messageId: number }

/** Nobody can subscribe to `$`. */
const noFilter = { topic: '$kept', qos: 0 as const }

/**
 * What Aedes calls persistence, by its names. Messages are queued and retained before Aedes
 * publishes them, because it acknowledges QoS 1 first: see `Kept`.
 */
export class Persistence {
  readonly #kept: Kept
  readonly #seal: (client: Named) => string | undefined
  readonly #unsubscribed: (client: Named, filters: string[]) => void

  constructor(
    kept: Kept,
    options: {
      /** Undefined: its session ended. */
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

  /** `Outbound` subscribes filter by filter: Aedes hands over also those that were not granted. */
  addSubscriptions(client: Named): Promise<void> {
    return this.#kept.sessions.find(client)?.written ?? Promise.resolve()
  }

  removeSubscriptions(client: Named, filters: string[]): Promise<void> {
    // Now: a SUBSCRIBE right behind it is granted before Aedes tells that this one is done.
    this.#unsubscribed(client, filters)
    const session = this.#kept.sessions.find(client)
    if (session) this.#kept.sessions.unsubscribe(session, filters)
    return session?.written ?? Promise.resolve()
  }

  /** [MQTT 3.2.2-2] Aedes takes a session without filters for none. */
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
    const outbox = this.#kept.sessions.find(client)?.outbox
    if (packet.cmd !== 'pubrel' || !outbox) return Promise.resolve()
    return outbox.release(packet.messageId ?? 0)
  }

  /** Without an id Aedes only decided not to send it now. */
  outgoingClearMessageId(client: Named, { messageId }: { messageId?: number }): Promise<void> {
    if (messageId) this.#kept.sessions.find(client)?.outbox?.acknowledge(messageId)
    return Promise.resolve()
  }

  outgoingStream(client: Named): Readable {
    return Readable.from(this.#kept.sessions.find(client)?.outbox?.sentBefore() ?? [])
  }

  storeRetained(): Promise<void> {
    return Promise.resolve()
  }

  /** `Outbound` sends them. */
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

  /** Those of the process before are sent by `Broker`. */
  streamWill(): Readable {
    return Readable.from([])
  }
}
