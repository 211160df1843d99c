import { plainNumber } from './json-number.ts'
import { DAY, fromSeconds, toSeconds, type UnixMs } from './unix-time.ts'

/** One value on one topic at one moment. `topic` is the full MQTT topic, `<client_id>/obj/...`. */
export type Sample = {
  /** Rises with arrival, below 2^53. */
  id: number
  installation_id: number
  client_id: number
  topic: string
  timestamp: UnixMs
  value: number
  msg: string
}

/** Why a message cannot be stored; the words are the labels of the counter and of the ledger. */
export type Refusal =
  | 'too large'
  | 'not json'
  | 'no numeric value'
  | 'bad msg'
  | 'msg too long'
  | 'too many messages'
  | 'too many topics'
  | 'too much history today'
  | 'too much history'
  | 'bad timestamp'
  | 'unknown client id'
  | 'forbidden topic'
  | 'topic too long'
  | 'blacklisted'
  | 'disk reserve'

export type Reading = { timestamp: UnixMs; value: number; msg: string }

/** The embedded broker takes no larger packet; nodes tell each other what is stored through theirs. */
const LARGEST = 1024 * 1024

/** UTF-8 bytes of a sample's text. */
export const MAX_MSG_BYTES = 64 * 1024

export const isMsgTooLong = (msg: string): boolean =>
  msg.length > MAX_MSG_BYTES ||
  (msg.length > MAX_MSG_BYTES / 3 && Buffer.byteLength(msg) > MAX_MSG_BYTES)

/** The payload of an object topic. No timestamp means the moment of arrival. */
export function parseReading(payload: Buffer, arrival: UnixMs): Reading | Refusal {
  const text = payload.toString('utf8')
  if (isTooLarge(payload, text)) return 'too large'
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return 'not json'
  }
  if (typeof parsed !== 'object' || parsed === null) return 'no numeric value'
  const { value, timestamp, msg } = parsed as Record<string, unknown>
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'no numeric value'
  const at = timestampOf(timestamp, arrival)
  if (at === undefined) return 'bad timestamp'
  if (msg !== undefined && msg !== null && typeof msg !== 'string') return 'bad msg'
  if (msg && isMsgTooLong(msg)) return 'msg too long'
  return { timestamp: at, value: value === 0 ? 0 : value, msg: msg ?? '' }
}

/** A byte that is no UTF-8 becomes three. */
const isTooLarge = (payload: Buffer, text: string): boolean =>
  payload.length > LARGEST || (payload.length > LARGEST / 3 && Buffer.byteLength(text) > LARGEST)

/** Before 1970 or more than a day ahead is no time a device can mean. */
function timestampOf(seconds: unknown, arrival: UnixMs): UnixMs | undefined {
  if (seconds === undefined || seconds === null) return arrival
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return undefined
  const at = fromSeconds(seconds)
  return at >= 0 && at <= arrival + DAY ? at : undefined
}

/**
 * The form of samples in the spool and on the way to history: ClickHouse's TSV, so that a batch is
 * handed over as it lies on disk. Columns: id, installation_id, client_id, topic, timestamp, value, msg.
 */
export const encodeSample = (s: Sample): string => `${s.id}${encodeContent(s)}`

/** All but the id. */
export const encodeContent = (s: Omit<Sample, 'id'>): string =>
  `\t${s.installation_id}\t${s.client_id}\t${escapeText(s.topic)}\t${s.timestamp}\t${s.value}\t${escapeText(s.msg)}\n`

/** Bytes that become text at once: no batch reaches the longest text that there can be. */
const DECODED_BYTES = 1024 * 1024
const LINE_END = 10

export function* decodeSamples(rows: Buffer): Generator<Sample> {
  for (let start = 0; start < rows.length; ) {
    const found = rows.indexOf(LINE_END, start + DECODED_BYTES)
    const end = found === -1 ? rows.length : found + 1
    yield* decodeText(rows.toString('utf8', start, end))
    start = end
  }
}

function* decodeText(text: string): Generator<Sample> {
  let start = 0
  while (start < text.length) {
    const end = text.indexOf('\n', start)
    const [id, installation_id, client_id, topic = '', timestamp, value, msg = ''] = text
      .slice(start, end)
      .split('\t')
    yield {
      id: Number(id),
      installation_id: Number(installation_id),
      client_id: Number(client_id),
      topic: unescapeText(topic),
      timestamp: Number(timestamp) as UnixMs,
      value: Number(value),
      msg: unescapeText(msg)
    }
    start = end + 1
  }
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

const escapeText = (text: string): string =>
  reserved.test(text) ? text.replace(everyReserved, (c) => escapes.get(c) ?? c) : text

const unescapeText = (text: string): string =>
  text.includes('\\') ? text.replace(/\\./g, (pair) => plain.get(pair) ?? pair) : text

/** [contract: Status] The form of a sample in status and log. */
export const statusJson = ({ client_id, installation_id, timestamp, value, msg, topic }: Sample) =>
  `{"client_id":${client_id},"installation_id":${installation_id},"timestamp":${plainNumber(
    toSeconds(timestamp)
  )},"value":${plainNumber(value)},"msg":${JSON.stringify(msg)},"topic":${JSON.stringify(topic)}}`
