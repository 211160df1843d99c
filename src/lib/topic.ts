/** [MQTT 4.7] `+` matches one level. `#` matches the rest and also the level above it. */
export function topicMatches(filter: string, topic: string): boolean {
  const want = filter.split('/')
  const have = topic.split('/')
  // [MQTT 4.7.2-1] A leading wildcard does not match topics that begin with `$`.
  if (have[0]?.startsWith('$') && (want[0] === '+' || want[0] === '#')) return false
  for (let i = 0; i < want.length; i++) {
    if (want[i] === '#') return true
    if (i >= have.length) return false
    if (want[i] !== '+' && want[i] !== have[i]) return false
  }
  return want.length === have.length
}

/** Whether `wide` matches everything that `narrow` matches. */
export function filterCovers(wide: string, narrow: string): boolean {
  const want = wide.split('/')
  const have = narrow.split('/')
  for (let i = 0; i < want.length; i++) {
    if (want[i] === '#') return true
    const level = have[i]
    if (level === undefined || level === '#') return false
    if (want[i] !== '+' && want[i] !== level) return false
  }
  // `a/#` also matches `a`, so the filter `a` does not cover `a/#`.
  return want.length === have.length
}

export const hasWildcard = (filter: string): boolean => /[+#]/.test(filter)

/** [MQTT 4.7.3] */
export const isTopicName = (text: string): boolean =>
  text !== '' && !hasWildcard(text) && !text.includes('\0')

/** [MQTT 4.7.1] A wildcard stands alone in its level, and `#` only at the end. */
export function isTopicFilter(text: string): boolean {
  if (text.length === 0 || text.length > 65_535 || text.includes('\0')) return false
  const levels = text.split('/')
  return levels.every((level, i) => {
    if (level === '#') return i === levels.length - 1
    return level === '+' || !hasWildcard(level)
  })
}

/** Levels of a topic or filter. Every level costs a node in a topic tree. */
export const MAX_TOPIC_LEVELS = 64
/** Bytes of a topic or filter in UTF-8. */
export const MAX_TOPIC_BYTES = 1024

const SLASH_CODE = 47

/** Whether a topic or filter is short enough to be stored or searched. */
export function isWithinTopicLimits(text: string): boolean {
  // This runs several times for each message, and most topics are short.
  if (text.length < MAX_TOPIC_LEVELS) return true
  // A character has at least one byte, so a text that is too long need not be counted.
  if (text.length > MAX_TOPIC_BYTES) return false
  let levels = 1
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === SLASH_CODE) levels++
  return levels <= MAX_TOPIC_LEVELS && Buffer.byteLength(text) <= MAX_TOPIC_BYTES
}

/** [MQTT 1.5.3] A broker may hang up when it gets these characters, and Mosquitto does. */
const REFUSED = /[\p{Cc}\p{Noncharacter_Code_Point}]/u

const isRefusedByNone = (text: string): boolean => isWithinTopicLimits(text) && !REFUSED.test(text)

/** Whether no broker ends our connection because of this topic. */
export const everyBrokerTakes = (topic: string): boolean =>
  isTopicName(topic) && isRefusedByNone(topic)

export const everyBrokerTakesFilter = (filter: string): boolean =>
  isTopicFilter(filter) && isRefusedByNone(filter)

const SURELY_PLAIN = /^[ !"$-*,-.0-~]+$/
/** They cannot stand in one level of a topic, or some broker refuses them. */
const NOT_IN_A_LEVEL = /[/+#\p{Cc}\p{Noncharacter_Code_Point}\p{Cs}]/gu

/** Any text as one level of a topic. */
export const asLevel = (text: string): string =>
  SURELY_PLAIN.test(text) ? text : text.replace(NOT_IN_A_LEVEL, '_') || '_'

/** The part of a topic that is too long which the ledger shows. */
export const topicExcerpt = (topic: string): string => topic.slice(0, MAX_TOPIC_BYTES / 4)

export function firstLevel(topic: string): string {
  const end = topic.indexOf('/')
  return end < 0 ? topic : topic.slice(0, end)
}

/** [MQTT5 4.8.2] The filter of `$share/<group>/<filter>`; undefined when it is malformed. */
export function unshared(filter: string): string | undefined {
  if (!filter.startsWith('$share/')) return filter
  return /^\$share\/[^/+#]+\/(.+)$/s.exec(filter)?.[1]
}

const ZERO = 48
/** Relative to the digit zero, as in the loop below. */
const SLASH = SLASH_CODE - ZERO

/** The first level as a client id: only digits, as the platform gives them out. */
export function clientIdOf(topic: string): number | undefined {
  // This runs for every message. A loop over the digits is several times faster than a pattern.
  let id = 0
  for (let i = 0; i < topic.length; i++) {
    const digit = topic.charCodeAt(i) - ZERO
    if (digit === SLASH && id > 0) return id
    if (digit < 0 || digit > 9 || (digit === 0 && id === 0)) return undefined
    id = id * 10 + digit
    if (id > Number.MAX_SAFE_INTEGER) return undefined
  }
  return id > 0 ? id : undefined
}

/** `<client_id>/obj/...` with at least one level after `obj`. */
export function isObjectTopic(topic: string): boolean {
  const slash = topic.indexOf('/')
  return slash > 0 && topic.startsWith('obj/', slash + 1) && topic.length > slash + 5
}

/** Clients send filters with or without `<client_id>/`. Inside they always have it. */
export function withClientId(clientId: number, filter: string): string {
  const prefix = `${clientId}/`
  return filter === String(clientId) || filter.startsWith(prefix) ? filter : prefix + filter
}
