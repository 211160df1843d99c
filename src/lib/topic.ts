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

export const hasWildcard = (filter: string): boolean => /[+#]/.test(filter)

/** [MQTT 4.7.1] wildcards stand alone in their level and `#` only at the end. */
export function isTopicFilter(text: string): boolean {
  if (text.length === 0 || text.length > 65_535 || text.includes('\0')) return false
  const levels = text.split('/')
  return levels.every((level, i) => {
    if (level === '#') return i === levels.length - 1
    return level === '+' || !hasWildcard(level)
  })
}

/** The first level when it is a client id: digits only, as the platform gives them out. */
export function clientIdOf(topic: string): number | undefined {
  const slash = topic.indexOf('/')
  const first = slash < 0 ? topic : topic.slice(0, slash)
  return /^[1-9]\d{0,15}$/.test(first) ? Number(first) : undefined
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
