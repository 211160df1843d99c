import type { Row } from '../live/shown.ts'
import type { RuleFields } from './types.ts'

/** [MQTT 4.7] `+` is one level, `#` is all that follow. */
export function matches(filter: string, topic: string): boolean {
  const [wanted, levels] = [filter.split('/'), topic.split('/')]
  for (const [i, part] of wanted.entries()) {
    if (part === '#') return true
    if (i >= levels.length || (part !== '+' && part !== levels[i])) return false
  }
  return wanted.length === levels.length
}

/** The topics that the page knows and the rule watches. */
export function watchedRows(on: RuleFields['on'], all: readonly Row[]): Row[] {
  const { topics } = on
  if (topics) {
    const exact = new Set(topics)
    const filters = topics.filter((one) => /[+#]/.test(one))
    return all.filter(
      ({ topic, short }) =>
        exact.has(short) ||
        exact.has(topic) ||
        filters.some((filter) => matches(filter, short) || matches(filter, topic))
    )
  }
  const wanted = Object.entries(on.meta ?? {})
  return all.filter(
    ({ type, meta }) =>
      meta.topic_read !== undefined &&
      (!on.type || type === on.type) &&
      wanted.every(([key, value]) => meta[key] === value)
  )
}
