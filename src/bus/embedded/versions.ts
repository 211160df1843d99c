import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { Seldom } from '../../lib/seldom.ts'
import { MINUTE } from '../../lib/unix-time.ts'
import { BRIDGE_BIT } from './wire/decode.ts'

/** [MQTT5 3.2.2.2] Unsupported protocol version, without properties. */
const CONNACK_5 = Buffer.from([0x20, 3, 0, 0x84, 0])
/** [MQTT 3.1.2-2] Unacceptable protocol level. */
const CONNACK_3 = Buffer.from([0x20, 2, 0, 1])
/** True for MQTT 3.1, 3.1.1 and 5. */
export const isSpoken = (level: number): boolean => [3, 4, 5].includes(versionOf(level))

const versionOf = (level: number): number => level & ~BRIDGE_BIT

/** Refuses clients of other versions with a CONNACK that they understand. */
export class VersionRefusals {
  readonly #log: Pick<Logger, 'warn'>
  readonly #lines = new Seldom(MINUTE)
  readonly #clock: Clock
  #unlogged = 0

  constructor(log: Pick<Logger, 'warn'>, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** The CONNACK for a client of this level. */
  refuse(level: number, address: string): Buffer {
    const version = versionOf(level)
    this.#unlogged++
    this.#tell(version, address)
    return version >= 5 ? CONNACK_5 : CONNACK_3
  }

  #tell(version: number, address: string): void {
    if (!this.#lines.isDue('refused', this.#clock())) return
    this.#log.warn(
      { address, version, refused: this.#unlogged },
      'an MQTT client was refused: the broker speaks MQTT 3.1, 3.1.1 and 5, and not the version of the client'
    )
    this.#unlogged = 0
  }
}
