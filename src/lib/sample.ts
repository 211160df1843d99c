import { isJsonNumber, plainNumber } from './json-number.ts'
import { DAY, fromSeconds, toSeconds, type UnixMs } from './unix-time.ts'

/** One value on one topic at one moment. `topic` is the full MQTT topic, `<client_id>/obj/...`. */
export type Sample = {
  /** Rises with arrival; below 2^53. */
  id: number
  installation_id: number
  client_id: number
  topic: string
  timestamp: UnixMs
  value: number
  msg: string
}

/** Why a message cannot be stored. The texts are labels of the metric and of the ledger. */
export const refusals = [
  'too large',
  'not json',
  'no numeric value',
  'bad msg',
  'msg too long',
  'too many messages',
  'too many topics',
  'too much history today',
  'too much history',
  'bad timestamp',
  'unknown client id',
  'forbidden topic',
  'topic too long',
  'blacklisted',
  'mapping failed',
  'disk reserve'
] as const
export type Refusal = (typeof refusals)[number]

export type Reading = { timestamp: UnixMs; value: number; msg: string }

/**
 * The embedded broker accepts no larger packet. Nodes send samples to each other through an
 * external broker.
 */
const MAX_PAYLOAD_BYTES = 1024 * 1024

/** The longest text of a sample, in UTF-8 bytes. */
export const MAX_MSG_BYTES = 64 * 1024

export const isMsgTooLong = (msg: string): boolean =>
  msg.length > MAX_MSG_BYTES ||
  (msg.length > MAX_MSG_BYTES / 3 && Buffer.byteLength(msg) > MAX_MSG_BYTES)

/** Parses the payload of an object topic. Without a timestamp, the time of arrival counts. */
export function parseReading(payload: Buffer, arrival: UnixMs): Reading | Refusal {
  const text = payload.toString('utf8')
  if (isTooLarge(payload, text)) return 'too large'
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return 'not json'
  }
  if (typeof parsed !== 'object' || parsed === null) return plainReading(parsed, arrival)
  return readingOf(parsed as Record<string, unknown>, arrival)
}

/** The fields as JSON gives them. A timestamp is in seconds. */
export function readingOf(
  { value, timestamp, msg }: { value?: unknown; timestamp?: unknown; msg?: unknown },
  arrival: UnixMs
): Reading | Refusal {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'no numeric value'
  const at = timestampOf(timestamp, arrival)
  if (at === undefined) return 'bad timestamp'
  if (msg !== undefined && msg !== null && typeof msg !== 'string') return 'bad msg'
  if (msg && isMsgTooLong(msg)) return 'msg too long'
  return { timestamp: at, value: value === 0 ? 0 : value, msg: msg ?? '' }
}

/** What devices send that know no more than the value: `21.5`, `"21.5"`, `true`. */
function plainReading(plain: unknown, arrival: UnixMs): Reading | Refusal {
  const isNumber = typeof plain === 'string' ? isJsonNumber(plain) : plain !== null
  const value = isNumber ? Number(plain) : Number.NaN
  if (!Number.isFinite(value)) return 'no numeric value'
  return { timestamp: arrival, value: value === 0 ? 0 : value, msg: '' }
}

/** An invalid UTF-8 byte becomes three bytes. */
const isTooLarge = (payload: Buffer, text: string): boolean =>
  payload.length > MAX_PAYLOAD_BYTES ||
  (payload.length > MAX_PAYLOAD_BYTES / 3 && Buffer.byteLength(text) > MAX_PAYLOAD_BYTES)

/** A time before 1970, or more than a day ahead, is an error. */
function timestampOf(seconds: unknown, arrival: UnixMs): UnixMs | undefined {
  if (seconds === undefined || seconds === null) return arrival
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return undefined
  const at = fromSeconds(seconds)
  return at >= 0 && at <= arrival + DAY ? at : undefined
}

/**
 * The format of samples in the spool and on the way to history: ClickHouse's TSV, so that a batch
 * is sent just as it is on disk. Columns: id, installation_id, client_id, topic, timestamp, value,
 * msg.
 */
export const encodeSample = (s: Sample): string => encodeFrom(encodeSource(s), s)

/** The part of a row that all samples of a topic have in common. */
export const encodeSource = ({
  installation_id,
  client_id,
  topic
}: Pick<Sample, 'installation_id' | 'client_id' | 'topic'>): string =>
  `\t${installation_id}\t${client_id}\t${escapeText(topic)}\t`

/** `source` must come from `encodeSource`. */
export const encodeFrom = (
  source: string,
  { id, timestamp, value, msg }: Pick<Sample, 'id' | 'timestamp' | 'value' | 'msg'>
): string => `${id}${source}${timestamp}\t${value}\t${msg === '' ? '' : escapeText(msg)}\n`

/** So many bytes are decoded at once, because a text has a maximum length. */
const BYTES_PER_DECODING = 1024 * 1024
const LINE_END = 10

/** `isWanted`: other installations are left out, which is faster. */
export function* decodeSamples(
  rows: Buffer,
  isWanted?: (installationId: number) => boolean
): Generator<Sample> {
  for (let start = 0; start < rows.length; ) {
    const found = rows.indexOf(LINE_END, start + BYTES_PER_DECODING)
    const end = found === -1 ? rows.length : found + 1
    yield* decodeText(rows.toString('utf8', start, end), isWanted)
    start = end
  }
}

/** Looks for one tab after the other. This takes half the time of `split`. */
function* decodeText(
  text: string,
  isWanted?: (installationId: number) => boolean
): Generator<Sample> {
  let start = 0
  while (start < text.length) {
    const installation = text.indexOf('\t', start) + 1
    const client = text.indexOf('\t', installation) + 1
    const installation_id = digitsOf(text, installation, client - 1)
    if (isWanted?.(installation_id) === false) {
      start = text.indexOf('\n', client) + 1
      continue
    }
    const topic = text.indexOf('\t', client) + 1
    const timestamp = text.indexOf('\t', topic) + 1
    const value = text.indexOf('\t', timestamp) + 1
    const msg = text.indexOf('\t', value) + 1
    const end = text.indexOf('\n', msg)
    yield {
      id: digitsOf(text, start, installation - 1),
      installation_id,
      client_id: digitsOf(text, client, topic - 1),
      topic: unescapeText(text.slice(topic, timestamp - 1)),
      timestamp: digitsOf(text, timestamp, value - 1) as UnixMs,
      value: Number(text.slice(value, msg - 1)),
      msg: msg === end ? '' : unescapeText(text.slice(msg, end))
    }
    start = end + 1
  }
}

const ZERO = 48

/** A number that is written with digits only. */
function digitsOf(text: string, from: number, to: number): number {
  let number = 0
  for (let i = from; i < to; i++) number = 10 * number + text.charCodeAt(i) - ZERO
  return number
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\0', '\\0']
])
const plain = new Map([...escapes].map(([raw, escaped]) => [escaped, raw]))

const reserved = /[\\\t\n\r\0]/
const everyReserved = /[\\\t\n\r\0]/g

export const escapeText = (text: string): string =>
  reserved.test(text) ? text.replace(everyReserved, (c) => escapes.get(c) ?? c) : text

const unescapeText = (text: string): string =>
  text.includes('\\') ? text.replace(/\\./g, (pair) => plain.get(pair) ?? pair) : text

/** [contract: Status] The JSON of a sample in status and log. */
export const statusJson = ({ client_id, installation_id, timestamp, value, msg, topic }: Sample) =>
  `{"client_id":${client_id},"installation_id":${installation_id},"timestamp":${plainNumber(
    toSeconds(timestamp)
  )},"value":${plainNumber(value)},"msg":${JSON.stringify(msg)},"topic":${JSON.stringify(topic)}}`
