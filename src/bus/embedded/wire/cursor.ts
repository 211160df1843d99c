import { isUtf8 } from 'node:buffer'
import { malformed } from './reasons.ts'

/** Reads the fields of a packet. A field that goes beyond the end is malformed. */
export class Cursor {
  readonly bytes: Buffer
  at: number
  readonly end: number

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  get isAtEnd(): boolean {
    return this.at >= this.end
  }

  byte(): number {
    this.#need(1)
    return this.bytes[this.at++] ?? 0
  }

  uint16(): number {
    this.#need(2)
    const { bytes, at } = this
    this.at += 2
    return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  }

  uint32(): number {
    this.#need(4)
    this.at += 4
    return this.bytes.readUInt32BE(this.at - 4)
  }

  /** [MQTT5 1.5.5] */
  varint(): number {
    let value = 0
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.byte()
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
    throw malformed('a length of more than four bytes')
  }

  binary(): Buffer {
    const length = this.uint16()
    this.#need(length)
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /** Ill-formed characters are replaced, because old clients send topics in Latin-1. */
  looseText(): string {
    const length = this.uint16()
    this.#need(length)
    this.at += length
    return this.bytes.toString('utf8', this.at - length, this.at)
  }

  /** [MQTT-1.5.4-1], [MQTT-1.5.4-2] */
  text(): string {
    const begin = this.at + 2
    const text = this.looseText()
    if (text.includes('\0')) throw malformed('NUL in a text')
    // Ill-formed characters are read as U+FFFD, which may also be in the text.
    if (text.includes('\ufffd') && !isUtf8(this.bytes.subarray(begin, this.at))) {
      throw malformed('a text is not UTF-8')
    }
    return text
  }

  /** A text that nobody reads. */
  checkText(): void {
    const begin = this.at
    const length = this.uint16()
    this.#need(length)
    const end = this.at + length
    for (let at = this.at; at < end; at++) {
      const byte = this.bytes[at] ?? 0
      if (byte > 0 && byte < 128) continue
      this.at = begin
      this.text()
      return
    }
    this.at = end
  }

  rest(): Buffer {
    const rest = this.bytes.subarray(this.at, this.end)
    this.at = this.end
    return rest
  }

  #need(count: number): void {
    if (this.at + count > this.end) throw malformed('a field goes beyond the end of its packet')
  }
}
