import { plainNumber } from './json-number.ts'
import { toSeconds, type UnixMs } from './unix-time.ts'

/** The forms in which samples leave and enter as files, one line each. [ADR-0012] */
export type LineForm = 'csv' | 'ndjson'

/** Columns of a file, in this order unless its header says otherwise. */
export const COLUMNS = ['timestamp', 'topic', 'value', 'msg'] as const
export type Column = (typeof COLUMNS)[number]

/** What stands before the first sample. */
export const lineHeader = (form: LineForm): string =>
  form === 'csv' ? `${COLUMNS.join(',')}\n` : ''

/** A topic as its lines have it: without `<client_id>/`, so that another installation can take it. */
export function lineTopic(form: LineForm, topic: string): string {
  return lineText(form, topic.slice(topic.indexOf('/') + 1))
}

/** `topic` as `lineTopic` writes it. */
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
