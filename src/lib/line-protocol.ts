import { asLevel } from './topic.ts'
import { type UnixMs, unixMs } from './unix-time.ts'

export const precisions = ['ns', 'us', 'ms', 's'] as const
export type Precision = (typeof precisions)[number]

/** The values of one line. Fields that are text have no value and are left out. */
export type Point = {
  /** The line where it begins, from 1. A text may contain line ends. */
  line: number
  fields: { topic: string; value: number }[]
  /** Undefined: the line has none. */
  timestamp: UnixMs | undefined
}

/** What is wrong in which line. Nothing after it is read. */
export class LineFault extends Error {
  readonly line: number

  constructor(line: number, what: string) {
    super(what)
    this.line = line
  }
}

/** Fields of one line, which are stored together. */
export const MAX_LINE_FIELDS = 1000
/** Of one line, which is read in one go. */
export const MAX_LINE_CHARACTERS = 256 * 1024
/** So many heads of lines are remembered with their topics. */
const MAX_KNOWN_HEADS = 10_000

const [NEWLINE, RETURN, SPACE, QUOTE, HASH, COMMA, EQUALS, BACKSLASH, TAB] = Array.from(
  '\n\r "#,=\\\t',
  (character) => character.charCodeAt(0)
)

const FLOAT = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const INTEGER = /^(?:-?\d+i|\d+u)$/
const TIMESTAMP = /^\d{1,19}$/
const booleans = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((text) => [text, 1] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((text) => [text, 0] as const)
])

/** Digits that are more exact than a millisecond. */
const finerDigits: Readonly<Record<Precision, number>> = { ns: 6, us: 3, ms: 0, s: 0 }

/**
 * Reads line protocol as InfluxDB 2 does, one line with each call of `next`. The topic of a value is
 * `obj/<measurement>/<tag values in the order of the tag names>/<field>`.
 */
export class LineProtocol {
  readonly #text: string
  readonly #precision: Precision
  /** The topic without the field, by the head of a line: its measurement and tags. */
  readonly #heads = new Map<string, string>()
  #at = 0
  #line = 1
  /** A line must end before this place. */
  #limit = 0

  constructor(text: string, precision: Precision = 'ns') {
    this.#text = text
    this.#precision = precision
  }

  /** Undefined after the last line. Throws a `LineFault`. */
  next(): Point | undefined {
    if (!this.#findLine()) return undefined
    const line = this.#line
    this.#limit = Math.min(this.#at + MAX_LINE_CHARACTERS, this.#text.length)
    const head = this.#readHead()
    const fields = this.#readFields(head)
    const timestamp = this.#readTimestamp()
    return { line, fields, timestamp }
  }

  /** Skips blank lines and comments. */
  #findLine(): boolean {
    const text = this.#text
    for (; this.#at < text.length; this.#at++) {
      const code = text.charCodeAt(this.#at)
      if (code === NEWLINE) this.#line++
      else if (code === HASH) this.#at = this.#endOfLine() - 1
      else if (code !== SPACE && code !== RETURN && code !== TAB) return true
    }
    return false
  }

  #readHead(): string {
    const start = this.#at
    const end = this.#find([SPACE])
    if (end === -1) throw this.#fault('has no fields')
    const head = this.#text.slice(start, end)
    this.#at = end
    this.#skipSpaces()
    let topic = this.#heads.get(head)
    if (topic === undefined) {
      topic = this.#topicOf(head)
      if (this.#heads.size < MAX_KNOWN_HEADS) this.#heads.set(head, topic)
    }
    return topic
  }

  #topicOf(head: string): string {
    const [measurement = '', ...rest] = split(head, COMMA)
    if (measurement === '') throw this.#fault('has no measurement')
    const tags = rest.map((tag) => {
      const [name = '', ...values] = split(tag, EQUALS)
      if (name === '' || values.length === 0) throw this.#fault('has a tag that is not name=value')
      return [unescaped(name, TAG_ESCAPES), unescaped(values.join('='), TAG_ESCAPES)] as const
    })
    tags.sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    const levels = [unescaped(measurement, NAME_ESCAPES), ...tags.map(([, value]) => value)]
    return `obj/${levels.map(asLevel).join('/')}/`
  }

  #readFields(topic: string): Point['fields'] {
    const text = this.#text
    const fields: Point['fields'] = []
    for (let count = 1; ; count++) {
      if (count > MAX_LINE_FIELDS) throw this.#fault(`has more than ${MAX_LINE_FIELDS} fields`)
      const start = this.#at
      const end = this.#find([EQUALS, SPACE, COMMA])
      if (text.charCodeAt(end) !== EQUALS || end === start) {
        throw this.#fault('has a field that is not name=value')
      }
      this.#at = end + 1
      if (text.charCodeAt(this.#at) === QUOTE) this.#skipText()
      else {
        const value = this.#readValue()
        const name = unescaped(text.slice(start, end), TAG_ESCAPES)
        fields.push({ topic: topic + asLevel(name), value })
      }
      if (text.charCodeAt(this.#at) !== COMMA) return fields
      this.#at++
    }
  }

  #readValue(): number {
    const text = this.#text
    const start = this.#at
    for (; this.#at < this.#limit; this.#at++) {
      const code = text.charCodeAt(this.#at)
      if (code === COMMA || code === SPACE || code === NEWLINE || code === RETURN) break
    }
    if (this.#at === this.#limit) this.#refuseLonger()
    const written = text.slice(start, this.#at)
    const value = numberOf(written)
    if (value === undefined) throw this.#fault(`has a value that is no number: ${excerpt(written)}`)
    return value
  }

  /** A text may contain everything except a quote, which has a backslash before it. */
  #skipText(): void {
    const text = this.#text
    const line = this.#line
    for (let at = this.#at + 1; at < this.#limit; at++) {
      const code = text.charCodeAt(at)
      if (code === NEWLINE) this.#line++
      else if (code === BACKSLASH) at += isQuoteOrBackslash(text.charCodeAt(at + 1)) ? 1 : 0
      else if (code === QUOTE) {
        this.#at = at + 1
        const next = text.charCodeAt(this.#at)
        const isEnd = this.#at >= text.length || [COMMA, SPACE, NEWLINE, RETURN].includes(next)
        if (isEnd) return
        throw this.#fault('has something after the end of a text')
      }
    }
    this.#line = line
    this.#refuseLonger()
    throw this.#fault('has a text without an end')
  }

  #readTimestamp(): UnixMs | undefined {
    const end = this.#endOfLine()
    const written = this.#text.slice(this.#at, end).trim()
    const line = this.#line
    this.#at = end
    if (written === '') return undefined
    if (!TIMESTAMP.test(written)) {
      throw new LineFault(line, `has a timestamp that is no whole number: ${excerpt(written)}`)
    }
    const factor = this.#precision === 's' ? 1000 : 1
    const digits = finerDigits[this.#precision]
    return unixMs(factor * Number(digits === 0 ? written : written.slice(0, -digits)))
  }

  /** The next of these characters in this line without a backslash before it; -1: none. */
  #find(wanted: readonly (number | undefined)[]): number {
    const text = this.#text
    for (let at = this.#at; at < this.#limit; at++) {
      const code = text.charCodeAt(at)
      if (code === NEWLINE) return -1
      if (wanted.includes(code) && text.charCodeAt(at - 1) !== BACKSLASH) return at
    }
    this.#refuseLonger()
    return -1
  }

  #skipSpaces(): void {
    while (this.#text.charCodeAt(this.#at) === SPACE && this.#at < this.#limit) this.#at++
  }

  /** Call it at the limit. */
  #refuseLonger(): void {
    if (this.#limit === this.#text.length) return
    throw this.#fault(`is longer than ${MAX_LINE_CHARACTERS} characters`)
  }

  #endOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at)
    return end === -1 ? this.#text.length : end
  }

  #fault(what: string): LineFault {
    return new LineFault(this.#line, what)
  }
}

const isQuoteOrBackslash = (code: number): boolean => code === QUOTE || code === BACKSLASH

function numberOf(written: string): number | undefined {
  const boolean = booleans.get(written)
  if (boolean !== undefined) return boolean
  const isInteger = INTEGER.test(written)
  if (!isInteger && !FLOAT.test(written)) return undefined
  const value = Number(isInteger ? written.slice(0, -1) : written)
  if (!Number.isFinite(value)) return undefined
  return value === 0 ? 0 : value
}

/** Splits at a character that has no backslash before it. */
function split(text: string, at: number | undefined): string[] {
  const parts: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== at || text.charCodeAt(i - 1) === BACKSLASH) continue
    parts.push(text.slice(start, i))
    start = i + 1
  }
  return [...parts, text.slice(start)]
}

/** Before other characters a backslash is only a backslash. */
const NAME_ESCAPES = /\\([, ])/g
const TAG_ESCAPES = /\\([,= ])/g

const unescaped = (text: string, escapes: RegExp): string =>
  text.includes('\\') ? text.replace(escapes, '$1') : text

const MAX_EXCERPT_CHARACTERS = 40
const excerpt = (text: string): string =>
  text.length > MAX_EXCERPT_CHARACTERS ? `${text.slice(0, MAX_EXCERPT_CHARACTERS)}...` : text
