import type { Session } from '../bus.ts'
import type { Connection } from './connection.ts'
import type { Receipts } from './receipts.ts'
import type { AckPacket } from './wire/packets.ts'
import { reasons } from './wire/reasons.ts'

/** From this on a reason is an error. */
const FIRST_ERROR = 0x80

/** What follows a PUBLISH of QoS 1 or 2. [MQTT 4.3] */
export class Handshakes {
  readonly #receipts: Receipts

  constructor(receipts: Receipts) {
    this.#receipts = receipts
  }

  /** `done` is called when the answer is written. */
  take(connection: Connection<Session>, packet: AckPacket, done: () => void): void {
    const { cmd, id, reason } = packet
    switch (cmd) {
      case 'puback':
      case 'pubcomp':
        acknowledge(connection, id)
        done()
        return
      case 'pubrec':
        // [MQTT-4.3.3-4] After an error there is no PUBREL.
        if (reason < FIRST_ERROR) this.#release(connection, id, done)
        else {
          acknowledge(connection, id)
          done()
        }
        return
      case 'pubrel':
        this.#complete(connection, id, done)
        return
    }
  }

  /** PUBREL is sent when this is on disk. */
  #release(connection: Connection<Session>, id: number, done: () => void): void {
    const { kept, window, acks, terms } = connection
    const isKnown = kept ? kept.feed?.has(id) : (window?.has(id) ?? true)
    const reason = terms && !isKnown ? reasons.unknownPacketId : undefined
    const answer = () => acks.add({ type: 'pubrel', id, reason }, done)
    const released = kept?.feed?.release(id)
    if (released) released.then(answer, (error) => fail(connection, error, done))
    else answer()
  }

  /** PUBCOMP is sent when this is on disk. */
  #complete(connection: Connection<Session>, id: number, done: () => void): void {
    const { kept, name, acks, terms } = connection
    const isKnown = this.#receipts.has(name, id)
    const reason = terms && !isKnown ? reasons.unknownPacketId : undefined
    this.#receipts.release(name, id, kept?.key).then(
      () => acks.add({ type: 'pubcomp', id, reason }, done),
      (error) => fail(connection, error, done)
    )
  }
}

function acknowledge({ kept, window }: Connection<Session>, id: number): void {
  kept?.feed?.acknowledge(id)
  window?.acknowledge(id)
}

function fail(connection: Connection<Session>, error: Error, done: () => void): void {
  connection.fail(error)
  done()
}
