import { MAX_PAGE_CHARACTERS } from '../lib/page-limit.ts'

/** A part is full at this size, so that one part is quick to write and to send. */
const PART_CHARACTERS = 64 * 1024

/** Collects the JSON text of rows as UTF-8 parts. */
export class PageParts {
  readonly #encoder = new TextEncoder()
  readonly #parts: Uint8Array[] = []
  #text = ''
  #characters = 0

  /** False when this row would make the page too long. */
  add(row: string): boolean {
    this.#characters += row.length + 1
    if (this.#characters > MAX_PAGE_CHARACTERS) return false
    this.#text += this.#text === '' ? row : `,${row}`
    if (this.#text.length >= PART_CHARACTERS) this.#close()
    return true
  }

  end(): Uint8Array[] {
    if (this.#text !== '') this.#close()
    return this.#parts
  }

  #close(): void {
    this.#parts.push(this.#encoder.encode(this.#text))
    this.#text = ''
  }
}
