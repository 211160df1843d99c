import { asLevel, MAX_TOPIC_LEVELS } from '../topic.ts'

/** A text, the level of the topic (from 1), or the key that a wildcard met (from 1). */
type Part = string | { level: number } | { wildcard: number }
export type TopicTemplate = readonly Part[]

const FORBIDDEN = /[+#\p{Cc}\p{Noncharacter_Code_Point}]/u
const PLACEHOLDER = /\{(\*?)(\d{0,2})\}/g

/**
 * Reads `obj/{2}/{*}`. `wildcards` is how many the path has. A text is the reason why the template is
 * wrong.
 */
export function parseTemplate(text: string, wildcards: number): TopicTemplate | string {
  if (!/^obj\/./.test(text)) return 'must begin with obj/'
  if (FORBIDDEN.test(text)) return 'must have no wildcards and no control characters'
  if (text.split('/').length >= MAX_TOPIC_LEVELS)
    return `must have fewer than ${MAX_TOPIC_LEVELS} levels`
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, star, digits] = match
    const number = digits === '' && star ? 1 : Number(digits)
    if (number < 1) return `has ${whole}, which is no placeholder`
    if (star && number > wildcards) return `has ${whole}, but the path has too few wildcards`
    if (match.index > end) parts.push(text.slice(end, match.index))
    parts.push(star ? { wildcard: number } : { level: number })
    end = match.index + whole.length
  }
  if (end < text.length) parts.push(text.slice(end))
  const rest = parts.filter((part) => typeof part === 'string').join('')
  return /[{}]/.test(rest) ? 'has braces that are no placeholder' : parts
}

/** Undefined: the topic of the message has too few levels. */
export function fillTemplate(
  template: TopicTemplate,
  levels: readonly string[],
  met: readonly string[]
): string | undefined {
  let topic = ''
  for (const part of template) {
    if (typeof part === 'string') {
      topic += part
      continue
    }
    const text = 'level' in part ? levels[part.level - 1] : met[part.wildcard - 1]
    if (text === undefined) return undefined
    topic += asLevel(text)
  }
  return topic
}
