import { isUtf8 } from 'node:buffer'

/**
 * `text` is undefined if the line cannot be read. Then `fault` says why, and `hasQuote` tells
 * whether the line may have a quote.
 */
export type OnLine = (
  text: string | undefined,
  line: number,
  fault: string,
  hasQuote: boolean
) => void

const LF = 10
const QUOTE = 34
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Turns portions of bytes into lines of text. Holds one line and one portion at most. */
export class LineSplitter {
  readonly #max: number
  readonly #onLine: OnLine
  /** The beginning of a line whose end has not arrived yet. */
  #rest: Buffer[] = []
  #length = 0
  #line = 1
  #isBegun = false
  /** True inside a line that is too long; its bytes are dropped. */
  #isSkipping = false
  #hasQuote = false

  /** `max` is the number of bytes that a line may have. */
  constructor(max: number, onLine: OnLine) {
    this.#max = max
    this.#onLine = onLine
  }

  /** How many lines were passed to `onLine`. */
  get count(): number {
    return this.#line - 1
  }

  push(portion: Buffer): void {
    const end = portion.lastIndexOf(LF)
    if (end === -1) {
      this.#keep(portion)
      return
    }
    const lines = Buffer.concat([...this.#rest, portion.subarray(0, end)])
    this.#rest = []
    this.#length = 0
    this.#tell(this.#isSkipping ? this.#skip(lines) : lines)
    this.#keep(portion.subarray(end + 1))
  }

  /** Handles the last line, which may have no line end. */
  end(): void {
    const rest = Buffer.concat(this.#rest)
    if (this.#isSkipping) this.#tooLong(this.#hasQuote)
    else if (rest.length > 0) this.#tell(rest)
  }

  #keep(portion: Buffer): void {
    if (this.#isSkipping) {
      this.#hasQuote ||= portion.includes(QUOTE)
      return
    }
    if (portion.length === 0) return
    this.#rest.push(portion)
    this.#length += portion.length
    if (this.#length <= this.#max) return
    this.#isSkipping = true
    this.#hasQuote = this.#rest.some((part) => part.includes(QUOTE))
    this.#rest = []
    this.#length = 0
  }

  /** The bytes after the line that is too long; undefined if there are none. */
  #skip(lines: Buffer): Buffer | undefined {
    const end = lines.indexOf(LF)
    const line = end === -1 ? lines : lines.subarray(0, end)
    this.#isSkipping = false
    this.#tooLong(this.#hasQuote || line.includes(QUOTE))
    return end === -1 ? undefined : lines.subarray(end + 1)
  }

  #tooLong(hasQuote: boolean): void {
    this.#onLine(undefined, this.#line++, `longer than ${this.#max} bytes`, hasQuote)
  }

  #tell(given: Buffer | undefined): void {
    if (given === undefined) return
    const isMarked = !this.#isBegun && given.subarray(0, BOM.length).equals(BOM)
    this.#isBegun = true
    const lines = isMarked ? given.subarray(BOM.length) : given
    if (isUtf8(lines)) for (const text of lines.toString('utf8').split('\n')) this.#tellOne(text)
    else this.#tellBroken(lines)
  }

  #tellBroken(lines: Buffer): void {
    for (let start = 0; start <= lines.length; ) {
      const found = lines.indexOf(LF, start)
      const end = found === -1 ? lines.length : found
      const line = lines.subarray(start, end)
      if (isUtf8(line)) this.#tellOne(line.toString('utf8'))
      else this.#onLine(undefined, this.#line++, 'not valid UTF-8', line.includes(QUOTE))
      start = end + 1
    }
  }

  #tellOne(text: string): void {
    if (text.length > this.#max) this.#tooLong(text.includes('"'))
    else this.#onLine(text, this.#line++, '', false)
  }
}
