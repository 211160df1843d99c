import type { AedesPublishPacket } from 'aedes'
import { TopicTree } from './topic-tree.ts'

type Deliver = (packet: AedesPublishPacket, done: () => void) => void

/**
 * What Aedes calls `mq`. Its own one waits until every receiver took the message and has a hundred
 * places for all, so one receiver that does not read would hold up every sender.
 */
export class FanOut {
  readonly #receivers = new TopicTree<Deliver>()
  #closed = false

  on(filter: string, deliver: Deliver, done?: () => void): void {
    this.#receivers.add(filter, deliver)
    done?.()
  }

  removeListener(filter: string, deliver: Deliver, done?: () => void): void {
    this.#receivers.remove(filter, deliver)
    done?.()
  }

  emit(packet: AedesPublishPacket, done: (error?: Error) => void): void {
    if (!this.#closed) {
      for (const deliver of this.#receivers.match(packet.topic)) deliver(packet, taken)
    }
    done(this.#closed ? new Error('the bus is closed') : undefined)
  }

  close(done: () => void): void {
    this.#closed = true
    setImmediate(done)
  }
}

function taken(): void {}
