import type { Schemas } from '../../../tools/client/client.ts'
import { numberFormat } from '../formats.ts'

export type Meta = Readonly<Record<string, string>>

/** How the value of a function is shown: `On`, or `21.4` and its unit. */
export type Shown = { text: string; unit: string }

/** A printf format with one number, such as `%.1f °C`; what stands after the number is the unit. */
export const FORMAT = /^([^%]*)%[-+ 0#]*\d*(?:\.(\d+))?[dfgeu]((?:[^%]|%%)*)$/

export function shownValue(value: number, meta: Meta, language: string): Shown {
  const state = stateOf(value, meta)
  if (state !== undefined) return { text: state, unit: '' }
  const [, before = '', digits, after = ''] = FORMAT.exec(meta.format ?? '') ?? []
  const decimals = digits === undefined ? undefined : Math.min(Number(digits), 10)
  const number = numberFormat(language, {
    ...(decimals === undefined
      ? { maximumFractionDigits: Math.abs(value) < 10 ? 3 : 2 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  })
  const unit = meta.unit ?? after.replaceAll('%%', '%').trim()
  return { text: `${before}${number.format(value)}`, unit }
}

function stateOf(value: number, meta: Meta): string | undefined {
  return statesOf(meta).find((state) => state.value === value)?.text
}

export type State = { value: number; text: string }

/** `state_on: 1` with `text_on: Open` shows 1 as Open; without a text the name itself is shown. */
export function statesOf(meta: Meta): State[] {
  return Object.entries(meta).flatMap(([key, number]) => {
    if (!key.startsWith('state_') || number.trim() === '' || Number.isNaN(Number(number))) return []
    const name = key.slice('state_'.length)
    const own = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
    return [{ value: Number(number), text: meta[`text_${name}`] ?? own }]
  })
}

/**
 * A topic with the function that reads it, if there is one. `write` is the full topic of commands.
 */
export type Row = {
  key: string
  topic: string
  short: string
  name: string
  room: string
  type: string
  meta: Meta
  write?: string
}

type Function = Schemas['Function']

/**
 * Sorted by room and name. Topics without a function come last, by their own name. A function with
 * a topic for commands has a row even if it has no value yet.
 */
export function rowsOf(
  topics: readonly string[],
  functions: readonly Function[],
  clientId: number | undefined
): Row[] {
  const full = (topic: string) =>
    topic.startsWith(`${clientId}/`) ? topic : `${clientId}/${topic}`
  const rowOf = (topic: string, of?: Function): Row => {
    const meta: Meta = of?.meta ?? {}
    // A row keeps its key when its first value comes.
    const key = of && isCommandTopic(meta.topic_write) ? `function ${of.id}` : topic
    const short = topic.slice(topic.indexOf('/') + 1)
    return {
      ...{ key, topic, short, meta, type: of?.type ?? '' },
      name: meta.name ?? lastPart(short),
      room: meta.room ?? '',
      ...(isCommandTopic(meta.topic_write) && { write: full(meta.topic_write) })
    }
  }
  // Of several functions on a topic, its row shows one that can be controlled.
  const known = functions.toSorted(
    (a, b) => Number(!!a.meta.topic_write) - Number(!!b.meta.topic_write)
  )
  const byTopic = new Map(known.map((one) => [full(one.meta.topic_read ?? ''), one]))
  const shown = new Set<Function | undefined>()
  const rows = topics.map((topic): Row => {
    const found = byTopic.get(topic)
    shown.add(found)
    return rowOf(topic, found)
  })
  for (const one of functions) {
    const { topic_read, topic_write } = one.meta
    if (shown.has(one) || !isCommandTopic(topic_write) || clientId === undefined) continue
    rows.push(rowOf(full(topic_read || topic_write), one))
  }
  return rows.sort(
    (a, b) =>
      Number(a.room === '') - Number(b.room === '') ||
      a.room.localeCompare(b.room) ||
      a.name.localeCompare(b.name) ||
      a.key.localeCompare(b.key)
  )
}

/** Commands go to one topic; a wildcard is no topic. */
const isCommandTopic = (topic: string | undefined): topic is string =>
  topic !== undefined && topic !== '' && !/[+#\0]/.test(topic)

const lastPart = (topic: string): string => topic.slice(topic.lastIndexOf('/') + 1)
