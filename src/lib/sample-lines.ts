import { plainNumber } from './json-number.ts'
import { toSeconds, type UnixMs } from './unix-time.ts'

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
