import { isWithinTopicLimits } from '../topic.ts'
import { type MappedMessage, NOT_JSON } from './message.ts'
import { momentOf } from './moment.ts'
import { finite, numberOf } from './number.ts'
import { findAt, type Path, parsePath, visitAt, wildcardsOf } from './path.ts'
import {
  type DerivedValue,
  MAX_VALUE_RULES,
  type Outcome,
  type Refused,
  STEPS_PER_VALUE,
  type TimestampFormat,
  type ValueRule
} from './rule.ts'
import { fillTemplate, parseTemplate, type TopicTemplate } from './topic-template.ts'

type Reader = {
  text: string
  path: Path
  hasWildcard: boolean
  /** The last key is `*`. What is no value there is left out. */
  meetsAll: boolean
  template: TopicTemplate
  table: ReadonlyMap<string, number> | undefined
  factor: number
  offset: number
  unit: string
  timestamp: { path: Path; format: TimestampFormat } | undefined
}

export type DeclaredReader = (message: MappedMessage) => Outcome

/** What is wrong with a declaration, and where. */
export type Fault = { at: string; what: string }

const nothing: Outcome = { values: [], refused: [] }
/** The client id and a slash come before the topic. */
const LONGEST_CLIENT_ID = `${Number.MAX_SAFE_INTEGER}/`

/** Compiles the values of a mapping, so that a message needs no parsing of paths and topics. */
export function compileValues(rules: readonly ValueRule[]): DeclaredReader | Fault {
  if (rules.length === 0) return { at: 'values', what: 'must have at least one value' }
  if (rules.length > MAX_VALUE_RULES)
    return { at: 'values', what: `must have at most ${MAX_VALUE_RULES} values` }
  const readers: Reader[] = []
  for (const [i, rule] of rules.entries()) {
    const reader = compileRule(rule)
    if ('what' in reader) return { at: `values/${i}/${reader.at}`, what: reader.what }
    readers.push(reader)
  }
  return (message) => readAll(readers, message)
}

function compileRule(rule: ValueRule): Reader | Fault {
  const path = parsePath(rule.path)
  if (typeof path === 'string') return { at: 'path', what: path }
  const wildcards = wildcardsOf(path)
  const template = parseTemplate(rule.topic, wildcards)
  if (typeof template === 'string') return { at: 'topic', what: template }
  const timestamp = rule.timestamp && parsePath(rule.timestamp.path)
  if (typeof timestamp === 'string') return { at: 'timestamp/path', what: timestamp }
  if (timestamp && wildcardsOf(timestamp) > wildcards) {
    return { at: 'timestamp/path', what: 'has more wildcards than the path of the value' }
  }
  const words = Object.entries(rule.table)
  return {
    text: rule.path,
    path,
    hasWildcard: wildcards > 0,
    meetsAll: path.at(-1) === null,
    template,
    table: words.length > 0 ? new Map(words) : undefined,
    factor: rule.factor,
    offset: rule.offset,
    unit: rule.unit,
    timestamp:
      rule.timestamp && timestamp ? { path: timestamp, format: rule.timestamp.format } : undefined
  }
}

function readAll(readers: readonly Reader[], message: MappedMessage): Outcome {
  if (message.content === NOT_JSON)
    return { values: [], refused: [{ path: '', reason: 'not json' }] }
  const values: DerivedValue[] = []
  const refused: Refused[] = []
  for (const reader of readers) {
    const reason = readOne(reader, message, values)
    if (reason) refused.push({ path: reader.text, reason })
  }
  if (refused.length === 0) return values.length === 0 ? nothing : { values, refused }
  message.valuesLeft += values.length
  return { values: [], refused }
}

/** Answers why nothing can be stored; undefined: all is well. */
function readOne(
  reader: Reader,
  message: MappedMessage,
  values: DerivedValue[]
): string | undefined {
  const { path } = reader
  if (!reader.hasWildcard) {
    if (!message.take(path.length + 1)) return 'too many values'
    const found = findAt(message.content, path)
    return found === undefined ? undefined : add(reader, message, { found, met: [] }, values)
  }
  let reason: string | undefined
  const isDone = visitAt(message.content, path, message, (found, met) => {
    reason = add(reader, message, { found, met }, values)
    return reason === undefined
  })
  return isDone ? undefined : (reason ?? 'too many values')
}

/** Adds the value that was found. Answers why it cannot be stored. */
function add(
  reader: Reader,
  message: MappedMessage,
  { found, met }: { found: unknown; met: readonly string[] },
  values: DerivedValue[]
): string | undefined {
  const number = numberOf(found, reader.table)
  if (number === undefined) return reader.meetsAll ? undefined : whyUnread(found, reader.table)
  const value = finite(number * reader.factor + reader.offset)
  if (value === undefined) return 'no numeric value'
  const timestamp = momentIn(reader, message, met)
  if (timestamp === undefined) return 'bad timestamp'
  const topic = fillTemplate(reader.template, message.levels, met)
  if (topic === undefined || !isWithinTopicLimits(LONGEST_CLIENT_ID + topic)) return 'bad topic'
  if (--message.valuesLeft < 0 || !message.take(STEPS_PER_VALUE)) return 'too many values'
  values.push({ topic, value, timestamp, unit: reader.unit, name: '', isWritable: false })
  return undefined
}

function momentIn({ timestamp }: Reader, message: MappedMessage, met: readonly string[]) {
  if (!timestamp) return message.arrival
  const found = findAt(message.content, timestamp.path, met)
  return found === undefined ? message.arrival : momentOf(found, timestamp.format, message)
}

const whyUnread = (found: unknown, table: ReadonlyMap<string, number> | undefined): string => {
  if (typeof found === 'string' && table) return 'a word that the table does not have'
  return 'no numeric value'
}
