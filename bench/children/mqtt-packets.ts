/** Packets built by hand, so that the load uses as little of the shared cores as possible. */

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

function packet(header: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length: number[] = []
  let rest = body.length
  do {
    length.push((rest & 127) | (rest > 127 ? 128 : 0))
    rest >>= 7
  } while (rest > 0)
  return Buffer.concat([Buffer.from([header, ...length]), body])
}

/** 4 is MQTT 3.1.1. */
export type Level = 4 | 5

/** MQTT 5 has the length of the properties here. There are none. */
const properties = (level: Level) => Buffer.alloc(level === 5 ? 1 : 0)

export function connectPacket(
  id: string,
  { username, password, level }: { username: string; password: string; level: Level }
): Buffer {
  const protocol = [text('MQTT'), Buffer.from([level, 0xc2, 0, 0]), properties(level)]
  return packet(0x10, ...protocol, text(id), text(username), text(password))
}

export function subscribePacket(id: number, filters: readonly string[]): Buffer {
  const asked = filters.flatMap((filter) => [text(filter), Buffer.from([0])])
  return packet(0x82, Buffer.from([id >> 8, id & 255]), ...asked)
}

/** PUBLISH with QoS 0. */
export const publishPacket = (topic: string, payload: string, { retain = false } = {}): Buffer =>
  packet(retain ? 0x31 : 0x30, text(topic), Buffer.from(payload))

const VALUE = '20.0'
const TIMESTAMP = '1700000000.123'
const PAYLOAD = `{"value":${VALUE},"timestamp":${TIMESTAMP}}`
const ASCII_ZERO = 48

/** A PUBLISH with QoS 1 in which only message id, value and timestamp change. */
export class Publish {
  readonly #template: Buffer
  readonly #id: number
  readonly #value: number
  readonly #timestamp: number

  constructor(topic: string, level: Level) {
    const [id, none] = [Buffer.from([0, 0]), properties(level)]
    this.#template = packet(0x32, text(topic), id, none, Buffer.from(PAYLOAD))
    const payload = this.#template.length - PAYLOAD.length
    this.#id = payload - none.length - id.length
    this.#value = payload + PAYLOAD.indexOf(VALUE)
    this.#timestamp = payload + PAYLOAD.indexOf(TIMESTAMP)
  }

  get length(): number {
    return this.#template.length
  }

  /** `tenths` from 0 to 99: the value is 20.0 to 29.9. */
  write(into: Buffer, at: number, message: { id: number; tenths: number; unixMs: number }): void {
    this.#template.copy(into, at)
    into[at + this.#id] = message.id >> 8
    into[at + this.#id + 1] = message.id & 255
    into[at + this.#value + 1] = ASCII_ZERO + Math.floor(message.tenths / 10)
    into[at + this.#value + 3] = ASCII_ZERO + (message.tenths % 10)
    let rest = message.unixMs
    for (let digit = TIMESTAMP.length - 1; digit >= 0; digit--) {
      if (TIMESTAMP[digit] === '.') continue
      into[at + this.#timestamp + digit] = ASCII_ZERO + (rest % 10)
      rest = Math.floor(rest / 10)
    }
  }
}

/** Finds the PUBACKs in the data of a broker, whatever the chunks are. */
export class Pubacks {
  #rest: Buffer = Buffer.alloc(0)

  idsIn(chunk: Buffer): number[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const ids: number[] = []
    let at = 0
    for (; at + 4 <= bytes.length; at += 4) {
      if (bytes[at] !== 0x40) throw new Error(`not a PUBACK: ${bytes.toString('hex', at, at + 4)}`)
      ids.push(bytes.readUInt16BE(at + 2))
    }
    this.#rest = bytes.subarray(at)
    return ids
  }
}
