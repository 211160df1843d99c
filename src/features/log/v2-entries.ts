import type { Static } from 'typebox'
import { allows, type Types } from '../../access/object-types.ts'
import { plainNumber } from '../../lib/json-number.ts'
import { withClientId } from '../../lib/topic.ts'
import type { LogEntry } from './schema.ts'

type Described = { id: number; type: string; meta: string }
type Entry = Static<typeof LogEntry>
type LoggedRow = { id: number; timestamp: number; value: number; msg: string; topic: string }

/** What an entry says of its function, by full topic. */
export type FunctionsByTopic = ReadonlyMap<
  string,
  Pick<Entry, 'function_id' | 'function_type' | 'name' | 'icon'>
>

/**
 * [contract: LogEntry] A function reads the topics of its metadata keys that begin with `topic_read`,
 * written with or without client id. Where several read one topic, the entry is the oldest one's; the
 * batches come in the order of ids. [ADR-0010] What the caller may not view is as if it were not there.
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

/** The rows of each part of a page, as JSON text. Quotes inside text are escaped: no text looks like a border. */
export function* rowTexts(parts: readonly Uint8Array[]): Generator<string[]> {
  const decoder = new TextDecoder()
  for (const part of parts) {
    const rows = decoder.decode(part).slice(ROW.length, -1)
    yield rows.split(`},${ROW}`).map((rest) => `${ROW}${rest}}`)
  }
}

/** Undefined for a row whose topic no function reads; numbers in plain decimals, as everywhere. */
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
