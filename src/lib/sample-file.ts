import { CsvRecords, csvFields } from './csv.ts'
import { LineSplitter } from './line-splitter.ts'
import { isMsgTooLong, MAX_MSG_BYTES } from './sample.ts'
import { COLUMNS, type Column, type LineForm } from './sample-lines.ts'
import { hasWildcard, isWithinTopicLimits, MAX_TOPIC_BYTES, MAX_TOPIC_LEVELS } from './topic.ts'
import { DAY, fromSeconds, type UnixMs } from './unix-time.ts'

/** A line of a file as it stands there; a column that is missing is undefined. */
export type Fields = { readonly [Name in Column]: unknown }
type OnFields = (fields: Fields, line: number) => void
type OnFault = (message: string, line: number) => void

/** Bytes of the longest line: the longest message has room with every character escaped. */
export const MAX_LINE = 512 * 1024

/** [ADR-0012] Reads a file of samples in whatever portions it comes, CSV or NDJSON. */
export class SampleFile {
  readonly #lines: LineSplitter
  readonly #csv: CsvRecords
  readonly #onFields: OnFields
  readonly #onFault: OnFault
  #form: LineForm | undefined
  /** Where each column stands; -1 when it does not. */
  #places: Readonly<Record<Column, number>> | undefined

  /** Without a form the first line decides: NDJSON begins with a brace. */
  constructor(form: LineForm | undefined, onFields: OnFields, onFault: OnFault) {
    this.#form = form
    this.#onFields = onFields
    this.#onFault = onFault
    this.#lines = new LineSplitter(MAX_LINE, (...line) => this.#takeLine(...line))
    this.#csv = new CsvRecords(MAX_LINE, (...record) => this.#takeRecord(...record))
  }

  push(portion: Buffer): void {
    this.#lines.push(portion)
  }

  /** Lines so far, empty ones too. */
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
    const fields = text === undefined ? undefined : csvFields(text)
    if (!fields) this.#onFault(fault || 'quotes must enclose a whole field', line)
    else if (this.#places || !this.#takeHeader(fields)) this.#takeFields(fields, line)
  }

  /** Whether the first record was one. */
  #takeHeader(fields: readonly string[]): boolean {
    const names = fields.map((name) => name.trim().toLowerCase())
    // No sample has both of these words in its fields.
    const isHeader = names.includes('timestamp') && names.includes('topic')
    this.#places = placesIn(isHeader ? names : COLUMNS)
    return isHeader
  }

  #takeFields(fields: readonly string[], line: number): void {
    const places = this.#places ?? placesIn(COLUMNS)
    const at = (column: Column) => fields[places[column]]
    const [timestamp, value] = [numberOf(at('timestamp')), numberOf(at('value'))]
    this.#onFields({ timestamp, topic: at('topic'), value, msg: at('msg') }, line)
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
  // A fault costs far more than a look at the first character.
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Fields) : undefined
  } catch {
    return undefined
  }
}

const decimal = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i

const numberOf = (text: string | undefined): number =>
  text !== undefined && decimal.test(text) ? Number(text) : Number.NaN

export type FileSample = { topic: string; timestamp: UnixMs; value: number; msg: string }

/** The same rules as for a message on MQTT, but a timestamp is required. Answers a sample or what is wrong. */
export function checkFields(fields: Fields, now: UnixMs): FileSample | string {
  const { timestamp, topic, value, msg } = fields
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) {
    return 'timestamp must be a finite number'
  }
  const at = fromSeconds(timestamp)
  if (at < 0 || at > now + DAY) return 'timestamp must be from 1970 to a day ahead'
  if (typeof topic !== 'string') return 'topic must be text'
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'value must be a finite number'
  if (msg !== undefined && msg !== null && typeof msg !== 'string') return 'msg must be text'
  if (msg && isMsgTooLong(msg)) return `msg must have at most ${MAX_MSG_BYTES} bytes`
  return { topic, timestamp: at, value: value === 0 ? 0 : value, msg: (msg ?? '').toWellFormed() }
}

/** A topic of a file, with or without client id, as a full one of the installation; or what is wrong. */
export function ownTopic(clientId: number, topic: string): { topic: string } | string {
  const prefix = `${clientId}/`
  const own = topic.startsWith(prefix) ? topic.slice(prefix.length) : topic
  if (/^\d+\/obj\//.test(own)) return 'topic is of another installation'
  if (!own.startsWith('obj/') || own.length === 4)
    return `topic must be obj/... or ${prefix}obj/...`
  if (hasWildcard(own) || own.includes('\0')) return 'topic must have no +, # or NUL'
  const full = (prefix + own).toWellFormed()
  return isWithinTopicLimits(full)
    ? { topic: full }
    : `topic must have at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
}
