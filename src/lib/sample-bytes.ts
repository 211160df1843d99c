import { MAX_NUMBER_BYTES, writeNumber, writeWhole } from './number-bytes.ts'
import { escapeText, type Sample } from './sample.ts'

const FIRST_BYTES = 64 * 1024
const [TAB, LINE_END] = [0x09, 0x0a]

/** As JavaScript writes the number. */
const hasExponent = (value: number): boolean => {
  const size = Math.abs(value)
  return !(size === 0 || (size >= 1e-6 && size < 1e21))
}

/** Writes rows as `encodeSample` does, without a text for each row. */
export class SampleRows {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** `source` is the UTF-8 text of `encodeSource`. */
  add(source: Uint8Array, { id, timestamp, value, msg }: Omit<Sample, 'topic'>): void {
    const text = msg === '' ? '' : escapeText(msg)
    const most = source.length + 3 * MAX_NUMBER_BYTES + 3 * text.length + 3
    if (this.#length + most > this.#bytes.length) this.#grow(most)
    const bytes = this.#bytes
    let at = writeWhole(bytes, this.#length, id)
    bytes.set(source, at)
    at = writeWhole(bytes, at + source.length, timestamp)
    bytes[at++] = TAB
    at = hasExponent(value) ? at + bytes.write(String(value), at) : writeNumber(bytes, at, value)
    bytes[at++] = TAB
    if (text !== '') at += bytes.write(text, at)
    bytes[at++] = LINE_END
    this.#length = at
  }

  /** The rows since the last call. They have their own memory. */
  take(): Buffer {
    const rows = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.allocUnsafeSlow(this.#bytes.length)
    this.#length = 0
    return rows
  }

  #grow(most: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#length + most))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
