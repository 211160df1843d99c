import type { Static } from 'typebox'
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
 * written with or without client id. Where several read one topic, the entry is the oldest one's.
 */
export function functionsByTopic(
  clientId: number,
  functions: readonly Described[]
): FunctionsByTopic {
  const found = new Map<string, Pick<Entry, 'function_id' | 'function_type' | 'name' | 'icon'>>()
  for (const { id, type, meta } of functions.toSorted((a, b) => a.id - b.id)) {
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
  return found
}

/** Rows whose topic no function reads are left out. */
export const entriesOf = (rows: readonly LoggedRow[], functions: FunctionsByTopic): Entry[] =>
  rows.flatMap(({ id, timestamp, value, msg, topic }) => {
    const about = functions.get(topic)
    if (!about) return []
    const { function_id, function_type, name, icon } = about
    return {
      id,
      function_id,
      function_type,
      log_item_type: 'functionx',
      name,
      unit: '',
      icon,
      alarm_type: '',
      value,
      timestamp,
      value_id: '',
      message: msg
    }
  })
