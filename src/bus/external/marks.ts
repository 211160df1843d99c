import { createHmac, hash } from 'node:crypto'
import type { IPublishPacket } from 'mqtt-packet'

/** [MQTT5 3.3.2.3.7] A broker passes user properties on as they are. */
const PROPERTY = 'caracal-stored'

/**
 * [ADR-0064] Marks messages whose value is stored before they are published. Every node knows the
 * marks of its platform. A device cannot make one: it could only repeat a message that is stored.
 */
export class Marks {
  readonly #key: string

  constructor(platformId: string, password: string) {
    this.#key = hash('sha256', `stored values\0${platformId}\0${password}`)
  }

  propertiesFor(topic: string, payload: Buffer): NonNullable<IPublishPacket['properties']> {
    return { userProperties: { [PROPERTY]: this.#of(topic, payload) } }
  }

  isMarked({ topic, payload, properties }: IPublishPacket): boolean {
    const mark = properties?.userProperties?.[PROPERTY]
    return mark !== undefined && mark === this.#of(topic, payload as Buffer)
  }

  #of(topic: string, payload: Buffer): string {
    return createHmac('sha256', this.#key).update(`${topic}\0`).update(payload).digest('base64url')
  }
}
