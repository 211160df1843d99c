import { isMsgTooLong, MAX_MSG_BYTES } from '../../lib/sample.ts'
import { COLUMNS, type Column, type LineForm } from '../../lib/sample-lines.ts'
import {
  hasWildcard,
  isWithinTopicLimits,
  MAX_TOPIC_BYTES,
  MAX_TOPIC_LEVELS
} from '../../lib/topic.ts'
import { DAY, fromSeconds, type UnixMs } from '../../lib/unix-time.ts'
import { CsvRecords, csvFields } from './csv.ts'
import { LineSplitter } from './line-splitter.ts'

/** The unchecked values of a line; a missing column is undefined. */
export type Fields = { readonly [Name in Column]: unknown }
type OnFields = (fields: Fields, line: number) => void
type OnFault = (message: string, line: number) => void

/** The longest message fits even if every character is escaped. */
export const MAX_LINE_BYTES = 512 * 1024

/** [ADR-0012] Reads a CSV or NDJSON file of samples in portions of any size. */
export class SampleFile {
  readonly #lines: LineSplitter
  readonly #csv: CsvRecords
  readonly #onFields: OnFields
  readonly #onFault: OnFault
  #form: LineForm | undefined
  /** The index of each column; -1 if it is missing. */
  #places: Readonly<Record<Column, number>> | undefined

  /** Where the fields of a record end; used again. */
  readonly #ends: number[] = []

  /** Without `form` the first line decides: NDJSON begins with a brace. */
  constructor(form: LineForm | undefined, onFields: OnFields, onFault: OnFault) {
    this.#form = form
    this.#onFields = onFields
    this.#onFault = onFault
    this.#lines = new LineSplitter(MAX_LINE_BYTES, (...line) => this.#takeLine(...line))
    this.#csv = new CsvRecords(MAX_LINE_BYTES, (...record) => this.#takeRecord(...record))
  }

  push(portion: Buffer): void {
    this.#lines.push(portion)
  }

  /** The number of lines so far, including empty ones. */
  get lines(): number {
    return this.#lines.count
  }

  end(): void {
    this.#lines.end()
    this.#csv.end()
  }

  #takeLine(text: string | undefined, line: number, fault: string, hasQuote: boolean): void {
    if (this.#form === undefined && text !== undefined && !isBlank(text)) {
      this.#form = text.trimStart().startsWith('{') ? 'ndjson' : 'csv'
    }
    if (this.#form === 'csv') this.#csv.push(text, line, fault, hasQuote)
    else if (text === undefined) this.#onFault(fault, line)
    else this.#takeObject(text, line)
  }

  #takeObject(text: string, line: number): void {
    if (isBlank(text)) return
    const fields = objectOf(text)
    if (fields) this.#onFields(fields, line)
    else this.#onFault('not a JSON object', line)
  }

  #takeRecord(text: string | undefined, line: number, fault: string): void {
    if (text !== undefined && isBlank(text)) return
    if (text !== undefined && this.#places && !text.includes('"')) {
      this.#takePlain(text, line, this.#places)
      return
    }
    const fields = text === undefined ? undefined : csvFields(text)
    if (!fields) this.#onFault(fault || 'quotes must enclose a whole field', line)
    else if (this.#places || !this.#takeHeader(fields)) this.#takeFields(fields, line)
  }

  /** The fields of a record without quotes, without a text for each number. */
  #takePlain(text: string, line: number, places: Readonly<Record<Column, number>>): void {
    const ends = this.#ends
    const end = text.endsWith('\r') ? text.length - 1 : text.length
    const last = Math.max(places.timestamp, places.topic, places.value, places.msg)
    let columns = 0
    for (let at = -1; columns <= last && at < end; ) {
      const comma = text.indexOf(',', at + 1)
      at = comma === -1 ? end : comma
      ends[columns++] = at
    }
    const beginOf = (place: number) => (place === 0 ? 0 : (ends[place - 1] as number) + 1)
    const textOf = (place: number) =>
      place < 0 || place >= columns ? undefined : text.slice(beginOf(place), ends[place])
    const numberIn = (place: number) =>
      place < 0 || place >= columns
        ? Number.NaN
        : numberBetween(text, beginOf(place), ends[place] as number)
    const sample = {
      timestamp: numberIn(places.timestamp),
      topic: textOf(places.topic),
      value: numberIn(places.value),
      msg: textOf(places.msg)
    }
    this.#onFields(sample, line)
  }

  /** Whether the first record is a header. */
  #takeHeader(fields: readonly string[]): boolean {
    const names = fields.map((name) => name.trim().toLowerCase())
    // The fields of a sample never have both of these words.
    const isHeader = names.includes('timestamp') && names.includes('topic')
    this.#places = placesIn(isHeader ? names : COLUMNS)
    return isHeader
  }

  #takeFields(fields: readonly string[], line: number): void {
    this.#places ??= placesIn(COLUMNS)
    const { timestamp, topic, value, msg } = this.#places
    const sample = {
      timestamp: numberOf(fields[timestamp]),
      topic: fields[topic],
      value: numberOf(fields[value]),
      msg: fields[msg]
    }
    this.#onFields(sample, line)
  }
}

const placesIn = (names: readonly string[]): Record<Column, number> => ({
  timestamp: names.indexOf('timestamp'),
  topic: names.indexOf('topic'),
  value: names.indexOf('value'),
  msg: names.indexOf('msg')
})

const isBlank = (text: string): boolean => text.trim() === ''

function objectOf(text: string): Fields | undefined {
  // Checking the first character is much cheaper than a failed JSON.parse.
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Fields) : undefined
  } catch {
    return undefined
  }
}

const decimal = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i

export function numberOf(text = ''): number {
  // After a digit only a letter, as in 0x10, can make a number that is no decimal.
  const [first, second] = [text.charCodeAt(0), text.charCodeAt(1)]
  const isPlain = first >= ZERO && first <= NINE && !(second > NINE)
  return isPlain || decimal.test(text) ? Number(text) : Number.NaN
}

const [ZERO, NINE, POINT, MINUS] = [48, 57, 46, 45]
/** A whole number of so many digits and a power of ten are exact, so their quotient is right. */
const MAX_EXACT_DIGITS = 15

/** The same number as `numberOf` the part of the text. Usual numbers are read in place. */
export function numberBetween(text: string, begin: number, end: number): number {
  const isNegative = text.charCodeAt(begin) === MINUS
  const first = isNegative ? begin + 1 : begin
  let [whole, point] = [0, -1]
  for (let at = first; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code >= ZERO && code <= NINE) whole = 10 * whole + code - ZERO
    else if (code === POINT && point === -1 && at > first) point = at
    else return numberOf(text.slice(begin, end))
  }
  const digits = end - first - (point === -1 ? 0 : 1)
  if (digits === 0 || digits > MAX_EXACT_DIGITS) return numberOf(text.slice(begin, end))
  const number = point === -1 ? whole : whole / (POWERS[end - point - 1] as number)
  return isNegative ? -number : number
}

const POWERS = Float64Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_, i) => Number(`1e${i}`))

export type FileSample = { topic: string; timestamp: UnixMs; value: number; msg: string }

/**
 * The same rules as for MQTT messages, but the timestamp is required. Returns a sample or the
 * fault.
 */
export function checkFields(fields: Fields, now: UnixMs): FileSample | string {
  const { timestamp, topic, value, msg } = fields
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) {
    return 'timestamp must be a finite number'
  }
  const at = fromSeconds(timestamp)
  if (at < 0 || at > now + DAY) return 'timestamp must be between 1970 and one day from now'
  if (typeof topic !== 'string') return 'topic must be text'
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'value must be a finite number'
  if (msg !== undefined && msg !== null && typeof msg !== 'string') return 'msg must be text'
  if (msg && isMsgTooLong(msg)) return `msg must have at most ${MAX_MSG_BYTES} bytes`
  return { topic, timestamp: at, value: value === 0 ? 0 : value, msg: (msg ?? '').toWellFormed() }
}

/** Adds the client id to a topic if it is missing. Returns the full topic or the fault. */
export function ownTopic(clientId: number, topic: string): { topic: string } | string {
  const prefix = `${clientId}/`
  const own = topic.startsWith(prefix) ? topic.slice(prefix.length) : topic
  if (/^\d+\/obj\//.test(own)) return 'topic belongs to another installation'
  if (!own.startsWith('obj/') || own.length === 4)
    return `topic must be obj/... or ${prefix}obj/...`
  if (hasWildcard(own) || own.includes('\0')) return 'topic must not have +, # or NUL'
  const full = (prefix + own).toWellFormed()
  return isWithinTopicLimits(full)
    ? { topic: full }
    : `topic must have at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
}
