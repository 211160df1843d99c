import { finite } from '../mapping/number.ts'
import { everyBrokerTakesFilter } from '../topic.ts'
import { lastingOf, silenceOf } from './duration.ts'
import { timeOfDay } from './hours.ts'
import type { Bound, Hours, On, RuleDefinition, When } from './rule.ts'

export const MAX_RULE_TOPICS = 1000
/** Of all topics of a rule together. */
export const MAX_RULE_TOPIC_CHARACTERS = 256 * 1024
export const MAX_WHEN_LEVELS = 4
/** Comparisons in all levels together. */
export const MAX_WHEN_PARTS = 20
export const MAX_MESSAGE_CHARACTERS = 4096
export const MAX_TYPE_CHARACTERS = 255
export const MAX_META_KEYS = 20
export const MAX_META_KEY_CHARACTERS = 255
export const MAX_META_VALUE_CHARACTERS = 1024

/** What is wrong with a definition, and where. */
class Fault extends Error {}

const wrong = (at: string, what: string): never => {
  throw new Fault(`${at} ${what}`)
}

/**
 * The definition without anything that is not part of it. A text says what is wrong: it begins
 * with its place, as `when/all/0/above`. What is left out has its default; `on` and `when` have none.
 */
export function parseDefinition(given: unknown): RuleDefinition | string {
  try {
    return definitionOf(given)
  } catch (fault) {
    if (fault instanceof Fault) return fault.message
    throw fault
  }
}

function definitionOf(given: unknown): RuleDefinition {
  const fields = objectAt('rule', given)
  const { hysteresis = 0, message = '', schedule = null } = fields
  const lasting = fields['for'] ?? ''
  const definition: RuleDefinition = {
    on: onOf(fields['on']),
    when: whenOf('when', fields['when'], 1, { left: MAX_WHEN_PARTS }),
    for: typeof lasting === 'string' ? lasting : wrong('for', 'must be a text'),
    hysteresis: numberAt('hysteresis', hysteresis),
    schedule: schedule === null ? null : hoursOf(schedule),
    message: textAt('message', message, MAX_MESSAGE_CHARACTERS)
  }
  if (lastingOf(definition.for) === undefined) {
    wrong('for', 'must be empty, or a duration as 90s, 10m, 2h or 3d, of at most 366d')
  }
  if (definition.hysteresis < 0) wrong('hysteresis', 'must not be negative')
  return definition
}

function onOf(given: unknown): On {
  const on = objectAt('on', given)
  if (on['topics'] !== undefined) {
    only('on', on, ['topics'])
    return { topics: topicsOf(on['topics']) }
  }
  only('on', on, ['type', 'meta'])
  if (on['type'] === undefined && on['meta'] === undefined) {
    wrong('on', 'must have topics, or type and meta')
  }
  return {
    type: textAt('on/type', on['type'] ?? '', MAX_TYPE_CHARACTERS),
    meta: metaOf(on['meta'] ?? {})
  }
}

function topicsOf(given: unknown): string[] {
  const topics = listAt('on/topics', given)
  if (topics.length === 0) wrong('on/topics', 'must have at least one topic')
  if (topics.length > MAX_RULE_TOPICS) {
    wrong('on/topics', `must have at most ${MAX_RULE_TOPICS} topics`)
  }
  let characters = 0
  const read = topics.map((topic, i) => {
    const at = `on/topics/${i}`
    if (typeof topic !== 'string') return wrong(at, 'must be a text')
    characters += topic.length
    // [MQTT 4.7.2] Such topics belong to the broker.
    if (topic.startsWith('$') || !topic.isWellFormed() || !everyBrokerTakesFilter(topic)) {
      return wrong(at, 'must be a topic or an MQTT topic filter')
    }
    return topic
  })
  if (characters > MAX_RULE_TOPIC_CHARACTERS) {
    wrong('on/topics', `must have at most ${MAX_RULE_TOPIC_CHARACTERS} characters in all`)
  }
  return [...new Set(read)]
}

function metaOf(given: unknown): Record<string, string> {
  const entries = Object.entries(objectAt('on/meta', given))
  if (entries.length > MAX_META_KEYS) wrong('on/meta', `must have at most ${MAX_META_KEYS} keys`)
  return Object.fromEntries(
    entries.map(([key, value]) => {
      metaKey('on/meta', key)
      return [key, textAt(`on/meta/${key}`, value, MAX_META_VALUE_CHARACTERS)]
    })
  )
}

function metaKey(at: string, key: unknown): string {
  const text = textAt(at, key, MAX_META_KEY_CHARACTERS)
  return text === '' ? wrong(at, 'must have a key of metadata') : text
}

const words = [
  'above',
  'below',
  'outside',
  'equals',
  'changed_by',
  'rate_per_hour',
  'silent_for',
  'all',
  'any'
] as const

function whenOf(at: string, given: unknown, level: number, parts: { left: number }): When {
  const when = objectAt(at, given)
  const found = Object.keys(when)
  const word = words.find((one) => one === found[0])
  if (word === undefined || found.length > 1)
    return wrong(at, `must have one of ${words.join(', ')}`)
  if (word !== 'all' && word !== 'any' && --parts.left < 0) {
    wrong('when', `must have at most ${MAX_WHEN_PARTS} parts`)
  }
  const inside = `${at}/${word}`
  const value = when[word]
  switch (word) {
    case 'all':
    case 'any': {
      const list = listAt(inside, value)
      if (list.length < 2) wrong(inside, 'must have two or more parts')
      if (level >= MAX_WHEN_LEVELS) wrong('when', `must be at most ${MAX_WHEN_LEVELS} levels deep`)
      const read = list.map((one, i) => whenOf(`${inside}/${i}`, one, level + 1, parts))
      return word === 'all' ? { all: read } : { any: read }
    }
    case 'outside':
      return { outside: rangeOf(inside, value) }
    case 'silent_for':
      return { silent_for: silenceAt(inside, value) }
    case 'changed_by':
      return { changed_by: sizeAt(inside, value, (size) => size > 0, 'must be above 0') }
    case 'rate_per_hour':
      return { rate_per_hour: sizeAt(inside, value, (size) => size >= 0, 'must not be negative') }
    case 'above':
      return { above: boundAt(inside, value) }
    case 'below':
      return { below: boundAt(inside, value) }
    case 'equals':
      return { equals: boundAt(inside, value) }
  }
}

function rangeOf(at: string, given: unknown): [Bound, Bound] {
  const list = listAt(at, given)
  if (list.length !== 2) wrong(at, 'must be a list of two numbers')
  const low = boundAt(`${at}/0`, list[0])
  const high = boundAt(`${at}/1`, list[1])
  if (typeof low === 'number' && typeof high === 'number' && low >= high) {
    wrong(at, 'must have the lower number first')
  }
  return [low, high]
}

function silenceAt(at: string, given: unknown): string | { meta: string } {
  if (typeof given === 'object' && given !== null) return metaBound(at, given)
  if (typeof given !== 'string' || silenceOf(given) === undefined) {
    return wrong(at, 'must be a duration as 90s, 10m, 2h or 3d, from 5s to 366d')
  }
  return given
}

function sizeAt(
  at: string,
  given: unknown,
  isRight: (size: number) => boolean,
  what: string
): Bound {
  const bound = boundAt(at, given)
  return typeof bound === 'number' && !isRight(bound) ? wrong(at, what) : bound
}

function boundAt(at: string, given: unknown): Bound {
  return typeof given === 'object' && given !== null ? metaBound(at, given) : numberAt(at, given)
}

function metaBound(at: string, given: object): { meta: string } {
  const bound = objectAt(at, given)
  only(at, bound, ['meta'])
  return { meta: metaKey(`${at}/meta`, bound['meta']) }
}

function hoursOf(given: unknown): Hours {
  const hours = objectAt('schedule', given)
  only('schedule', hours, ['days', 'from', 'to'])
  const days = listAt('schedule/days', hours['days'])
  if (days.length === 0 || days.length > 7) wrong('schedule/days', 'must have one to seven days')
  const read = days.map((day, i) =>
    typeof day === 'number' && Number.isInteger(day) && day >= 0 && day <= 6
      ? day
      : wrong(`schedule/days/${i}`, 'must be a day from 0 (Sunday) to 6')
  )
  return {
    days: [...new Set(read)],
    from: timeAt('schedule/from', hours['from']),
    to: timeAt('schedule/to', hours['to'])
  }
}

const timeAt = (at: string, given: unknown): string =>
  typeof given === 'string' && timeOfDay(given) !== undefined
    ? given
    : wrong(at, 'must be a time as 08:00')

function objectAt(at: string, given: unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return wrong(at, 'must be an object')
  }
  return given as Record<string, unknown>
}

const listAt = (at: string, given: unknown): unknown[] =>
  Array.isArray(given) ? given : wrong(at, 'must be a list')

function textAt(at: string, given: unknown, max: number): string {
  if (typeof given !== 'string') return wrong(at, 'must be a text')
  return given.length > max ? wrong(at, `must have at most ${max} characters`) : given
}

const numberAt = (at: string, given: unknown): number =>
  (typeof given === 'number' ? finite(given) : undefined) ?? wrong(at, 'must be a number')

function only(at: string, given: Record<string, unknown>, keys: readonly string[]): void {
  for (const key of Object.keys(given))
    if (!keys.includes(key)) wrong(at, `must have only ${keys.join(', ')}`)
}
