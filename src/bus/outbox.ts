import type { AedesPublishPacket } from 'aedes'

export type Publish = AedesPublishPacket & { clientId?: string }
type Pubrel = { cmd: 'pubrel'; messageId?: number; brokerCounter?: number }
export type Outgoing = Publish | Pubrel

const maxQueued = 10_000
const maxBytes = 64 * 1024 * 1024

/** The QoS 1 and 2 messages a stored session has not yet acknowledged. */
export class Outbox {
  /** By Aedes' counter, in the order of sending. */
  readonly #packets = new Map<number, Outgoing>()
  /** Message id on the wire -> counter, for what was sent. */
  readonly #sent = new Map<number, number>()
  #bytes = 0

  /** False when it is full. */
  add(packet: Publish): boolean {
    if (this.#packets.size >= maxQueued || this.#bytes >= maxBytes) return false
    this.#packets.set(packet.brokerCounter, { ...packet, messageId: undefined })
    this.#bytes += sizeOf(packet)
    return true
  }

  /** A message goes out and got its id, or the other side has it (QoS 2) and it is now a PUBREL. */
  update(packet: Outgoing): void {
    const { messageId } = packet
    if (messageId === undefined) return
    if (packet.cmd === 'publish') {
      const queued = this.#packets.get(packet.brokerCounter)
      if (!queued) return
      queued.messageId = messageId
      this.#sent.set(messageId, packet.brokerCounter)
      return
    }
    // Unknown ids are answered all the same: retained messages are sent without being queued.
    const brokerCounter = this.#sent.get(messageId)
    if (brokerCounter === undefined) return
    this.#bytes -= sizeOf(this.#packets.get(brokerCounter))
    this.#packets.set(brokerCounter, { cmd: 'pubrel', messageId, brokerCounter })
  }

  acknowledge(messageId: number): Outgoing | undefined {
    const counter = this.#sent.get(messageId)
    this.#sent.delete(messageId)
    return counter === undefined ? undefined : this.forget(counter)
  }

  forget(counter: number): Outgoing | undefined {
    const packet = this.#packets.get(counter)
    this.#packets.delete(counter)
    this.#bytes -= sizeOf(packet)
    return packet
  }

  unsent(): Publish[] {
    const found: Publish[] = []
    for (const packet of this.#packets.values()) {
      if (packet.cmd === 'publish' && packet.messageId === undefined) found.push(packet)
    }
    return found
  }

  /** Goes on with what is added meanwhile. */
  *all(): Generator<Outgoing> {
    for (const packet of this.#packets.values()) {
      // [MQTT 3.3.1-1] what was sent before carries DUP.
      const isAgain = packet.cmd === 'publish' && packet.messageId !== undefined
      yield isAgain ? { ...packet, dup: true } : packet
    }
  }
}

const sizeOf = (packet: Outgoing | undefined): number =>
  packet?.cmd === 'publish' ? packet.payload.length : 0
