/** `text` is undefined if the record cannot be read; then `fault` says why. */
export type OnRecord = (text: string | undefined, line: number, fault: string) => void

/** A quoted field without an end, so the rest of the file cannot be read. */
export class EndlessField extends Error {}

/** [RFC 4180] Turns lines into records. A quoted field may have several lines. */
export class CsvRecords {
  readonly #max: number
  readonly #onRecord: OnRecord
  #parts: string[] = []
  #length = 0
  #line = 0

  /** `max` is the number of characters that a record may have. */
  constructor(max: number, onRecord: OnRecord) {
    this.#max = max
    this.#onRecord = onRecord
  }

  push(text: string | undefined, line: number, fault: string, hasQuote: boolean): void {
    const isInside = this.#parts.length > 0
    if (text === undefined) {
      // It is not known where the next record begins.
      if (isInside || hasQuote) {
        throw new EndlessField(`line ${line}: ${fault}, with or inside a quoted field`)
      }
      this.#onRecord(undefined, line, fault)
      return
    }
    const goesOn = (isInside || text.includes('"')) && endsInQuotes(text, isInside)
    if (!goesOn && !isInside) {
      this.#onRecord(text, line, '')
      return
    }
    if (!isInside) this.#line = line
    this.#parts.push(text)
    this.#length += text.length + 1
    if (this.#length > this.#max) {
      throw new EndlessField(
        `line ${this.#line}: a quoted field is longer than ${this.#max} characters`
      )
    }
    if (!goesOn) this.#onRecord(this.#take(), this.#line, '')
  }

  end(): void {
    if (this.#parts.length === 0) return
    this.#take()
    this.#onRecord(undefined, this.#line, 'a quoted field is not closed')
  }

  #take(): string {
    const record = this.#parts.join('\n')
    this.#parts = []
    this.#length = 0
    return record
  }
}

/** Whether a line ends inside a quoted field; `isInside`: it also begins inside one. */
function endsInQuotes(text: string, isInside: boolean): boolean {
  let at = 0
  if (isInside) {
    at = closingQuote(text, 0)
    if (at === -1) return true
    at = text.indexOf(',', at + 1) + 1
    if (at === 0) return false
  }
  for (;;) {
    if (text[at] === '"') {
      at = closingQuote(text, at + 1)
      if (at === -1) return true
    }
    at = text.indexOf(',', at) + 1
    if (at === 0) return false
  }
}

/**
 * The quote that ends the field which continues at `from`; two quotes in a row are one character.
 */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}

/** The fields of a record; undefined if its quotes are wrong. */
export function csvFields(record: string): string[] | undefined {
  const text = record.endsWith('\r') ? record.slice(0, -1) : record
  if (!text.includes('"')) return text.split(',')
  const fields: string[] = []
  let at = 0
  for (;;) {
    let end: number
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1)
      if (close === -1) return undefined
      fields.push(text.slice(at + 1, close).replaceAll('""', '"'))
      end = close + 1
      if (end < text.length && text[end] !== ',') return undefined
    } else {
      const comma = text.indexOf(',', at)
      end = comma === -1 ? text.length : comma
      const field = text.slice(at, end)
      if (field.includes('"')) return undefined
      fields.push(field)
    }
    if (end >= text.length) return fields
    at = end + 1
  }
}
