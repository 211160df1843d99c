/** `text` is undefined when there is no record, and then `fault` says why. */
export type OnRecord = (text: string | undefined, line: number, fault: string) => void

/** A field that ends nowhere: what follows cannot be told apart from it. */
export class EndlessField extends Error {}

/** [RFC 4180] Lines to records: a quoted field may go on over line ends. */
export class CsvRecords {
  readonly #max: number
  readonly #onRecord: OnRecord
  #parts: string[] = []
  #length = 0
  #line = 0

  /** `max`: characters of the longest record. */
  constructor(max: number, onRecord: OnRecord) {
    this.#max = max
    this.#onRecord = onRecord
  }

  push(text: string | undefined, line: number, fault: string, hasQuote: boolean): void {
    const isInside = this.#parts.length > 0
    if (text === undefined) {
      // Nobody can tell where the next record begins.
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
      throw new EndlessField(`line ${this.#line}: a quoted field is longer than ${this.#max} bytes`)
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

/** Whether a line, begun inside a quoted field or not, ends inside one. */
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

/** Where the field ends that goes on at `from`; a doubled quote is one of its characters. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}

/** The fields of a record; undefined when its quotes make no sense. */
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
