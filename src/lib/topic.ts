/** [MQTT 4.7] `+` is one level, `#` is the rest and also the level above it. */
export function topicMatches(filter: string, topic: string): boolean {
  const want = filter.split('/')
  const have = topic.split('/')
  // [MQTT 4.7.2-1] a leading wildcard does not reach topics that begin with `$`.
  if (have[0]?.startsWith('$') && (want[0] === '+' || want[0] === '#')) return false
  for (let i = 0; i < want.length; i++) {
    if (want[i] === '#') return true
    if (i >= have.length) return false
    if (want[i] !== '+' && want[i] !== have[i]) return false
  }
  return want.length === have.length
}

/** Everything that `narrow` matches, `wide` matches too. */
export function filterCovers(wide: string, narrow: string): boolean {
  const want = wide.split('/')
  const have = narrow.split('/')
  for (let i = 0; i < want.length; i++) {
    if (want[i] === '#') return true
    const level = have[i]
    if (level === undefined || level === '#') return false
    if (want[i] !== '+' && want[i] !== level) return false
  }
  // `a/#` also matches `a`, which `a` alone is not all of.
  return want.length === have.length
}

export const hasWildcard = (filter: string): boolean => /[+#]/.test(filter)

/** [MQTT 4.7.3] */
export const isTopicName = (text: string): boolean =>
  text !== '' && !hasWildcard(text) && !text.includes('\0')

/** [MQTT 4.7.1] wildcards stand alone in their level and `#` only at the end. */
export function isTopicFilter(text: string): boolean {
  if (text.length === 0 || text.length > 65_535 || text.includes('\0')) return false
  const levels = text.split('/')
  return levels.every((level, i) => {
    if (level === '#') return i === levels.length - 1
    return level === '+' || !hasWildcard(level)
  })
}

/** Levels of a topic or filter: every level costs a node in a topic tree. */
export const MAX_TOPIC_LEVELS = 64
/** UTF-8 bytes of a topic or filter. */
export const MAX_TOPIC_BYTES = 1024

const SLASH_CODE = 47

/** Whether a topic or filter is short enough to be kept or looked for. */
export function isWithinTopicLimits(text: string): boolean {
  // A character is one byte at least: what is too long is never counted.
  if (text.length > MAX_TOPIC_BYTES) return false
  let levels = 1
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === SLASH_CODE) levels++
  return levels <= MAX_TOPIC_LEVELS && Buffer.byteLength(text) <= MAX_TOPIC_BYTES
}

/** What a ledger shows of a topic that is too long. */
export const topicExcerpt = (topic: string): string => topic.slice(0, MAX_TOPIC_BYTES / 4)

export function firstLevel(topic: string): string {
  const end = topic.indexOf('/')
  return end < 0 ? topic : topic.slice(0, end)
}

/** [MQTT5 4.8.2] What `$share/<group>/<filter>` subscribes to; undefined when it is malformed. */
export function unshared(filter: string): string | undefined {
  if (!filter.startsWith('$share/')) return filter
  return /^\$share\/[^/+#]+\/(.+)$/s.exec(filter)?.[1]
}

const ZERO = 48
/** Counted from the digit zero, as the loop below sees it. */
const SLASH = SLASH_CODE - ZERO

/** The first level when it is a client id: digits only, as the platform gives them out. */
export function clientIdOf(topic: string): number | undefined {
  // Asked for every message: a loop over the digits is several times faster than a pattern.
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

/** Filters of clients come with or without `<client_id>/`; inside they always carry it. */
export function withClientId(clientId: number, filter: string): string {
  const prefix = `${clientId}/`
  return filter === String(clientId) || filter.startsWith(prefix) ? filter : prefix + filter
}
