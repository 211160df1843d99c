import { plainNumber } from './json-number.ts'
import { fromSeconds, toSeconds, type UnixMs } from './unix-time.ts'

/** The file formats for export and import of samples, one line each. [ADR-0012] */
export type LineForm = 'csv' | 'ndjson'

/** The columns of a file, in this order unless the header says otherwise. */
export const COLUMNS = ['timestamp', 'topic', 'value', 'msg'] as const
export type Column = (typeof COLUMNS)[number]

/** The text before the first sample. */
export const lineHeader = (form: LineForm): string =>
  form === 'csv' ? `${COLUMNS.join(',')}\n` : ''

/** The topic in a line: without `<client_id>/`, so that another installation can import it. */
export function lineTopic(form: LineForm, topic: string): string {
  return lineText(form, topic.slice(topic.indexOf('/') + 1))
}

/** `topic` must come from `lineTopic`. */
export function sampleLine(
  form: LineForm,
  topic: string,
  { timestamp, value, msg }: { timestamp: UnixMs; value: number; msg: string }
): string {
  const at = toSeconds(timestamp)
  const number = plainNumber(value)
  const text = lineText(form, msg)
  return form === 'csv'
    ? `${at},${topic},${number},${text}\n`
    : `{"timestamp":${at},"topic":${topic},"value":${number},"msg":${text}}\n`
}

const special = /[",\r\n]/

/** [RFC 4180] */
function lineText(form: LineForm, text: string): string {
  if (form === 'ndjson') return text === '' ? '""' : JSON.stringify(text)
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Reads whole CSV lines of samples, as `sampleLine` writes them, without their messages. Topics have
 * no client id. It begins at a line and answers where the next one is after `most` lines.
 */
export function readSamples(
  lines: string,
  { begin, most }: { begin: number; most: number },
  take: (timestamp: UnixMs, topic: string, value: number) => void
): number {
  // Lines of one topic share its text.
  let [topic, before] = ['', '']
  let at = begin
  for (let read = 0; read < most && at < lines.length; read++) {
    const first = lines.indexOf(',', at)
    const end = fieldEnd(lines, first + 1, ',')
    const last = lines.indexOf(',', end + 1)
    if (end - first - 1 !== before.length || !lines.startsWith(before, first + 1)) {
      before = lines.slice(first + 1, end)
      topic = before.startsWith('"') ? before.slice(1, -1).replaceAll('""', '"') : before
    }
    const timestamp = fromSeconds(Number(lines.slice(at, first)))
    take(timestamp, topic, Number(lines.slice(end + 1, last)))
    at = fieldEnd(lines, last + 1, '\n') + 1
  }
  return at
}

/** Where a field of CSV ends that begins here. In quotes there may be anything. */
function fieldEnd(lines: string, begin: number, border: ',' | '\n'): number {
  if (lines[begin] !== '"') return lines.indexOf(border, begin)
  let at = begin + 1
  for (;;) {
    at = lines.indexOf('"', at) + 1
    if (lines[at] !== '"') return at
    at++
  }
}
