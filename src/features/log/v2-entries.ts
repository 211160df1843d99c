import type { Static } from 'typebox'
import { plainNumber } from '../../lib/json-number.ts'
import { withClientId } from '../../lib/topic.ts'
import { allows, type Types } from '../../permission/modelx-types.ts'
import type { LogEntry } from './schema.ts'

type Described = { id: number; type: string; meta: string }
type Entry = Static<typeof LogEntry>
type LoggedRow = { id: number; timestamp: number; value: number; msg: string; topic: string }

/** The fields of an entry that describe its function, by full topic. */
export type FunctionsByTopic = ReadonlyMap<
  string,
  Pick<Entry, 'function_id' | 'function_type' | 'name' | 'icon'>
>

/**
 * [contract: LogEntry] A function reads the topics in its metadata keys that begin with
 * `topic_read`, written with or without client id. If several functions read a topic, the one with
 * the lowest id counts; the batches are sorted by id. [ADR-0010] Functions that the caller may not
 * view are ignored.
 */
export async function functionsByTopic(
  clientId: number,
  batches: AsyncIterable<readonly Described[]>,
  types: Types
): Promise<FunctionsByTopic> {
  const found = new Map<string, Pick<Entry, 'function_id' | 'function_type' | 'name' | 'icon'>>()
  for await (const functions of batches) {
    for (const { id, type, meta } of functions) {
      if (!allows(types, type) || !meta.includes('"topic_read')) continue
      const values = new Map<string, string>(Object.entries(JSON.parse(meta)))
      const name = values.get('name') ?? ''
      const icon = values.get('icon') ?? ''
      const about = { function_id: String(id), function_type: type, name, icon }
      for (const [key, value] of values) {
        if (!key.startsWith('topic_read')) continue
        const topic = withClientId(clientId, value)
        if (!found.has(topic)) found.set(topic, about)
      }
    }
  }
  return found
}

const ROW = '{"id":'

/**
 * Splits each part of a page into rows of JSON. Quotes in values are escaped, so no value looks
 * like a border.
 */
export function* rowTexts(parts: readonly Uint8Array[]): Generator<string[]> {
  const decoder = new TextDecoder()
  for (const part of parts) {
    const rows = decoder.decode(part).slice(ROW.length, -1)
    yield rows.split(`},${ROW}`).map((rest) => `${ROW}${rest}}`)
  }
}

/** Undefined if no function reads the topic of the row. Numbers are written as plain decimals. */
export function entryJson(row: string, functions: FunctionsByTopic): string | undefined {
  const { id, timestamp, value, msg, topic }: LoggedRow = JSON.parse(row)
  const about = functions.get(topic)
  if (!about) return undefined
  const { function_id, function_type, name, icon } = about
  const entry: Omit<Entry, 'value'> = {
    id,
    function_id,
    function_type,
    log_item_type: 'functionx',
    name,
    unit: '',
    icon,
    alarm_type: '',
    timestamp,
    value_id: '',
    message: msg
  }
  return `{"value":${plainNumber(value)},${JSON.stringify(entry).slice(1)}`
}
