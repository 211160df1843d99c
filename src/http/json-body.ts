import { badRequest, bodyTooIntricate } from './errors.ts'

/** How many quotes and brackets a JSON body may have: parsing takes time for each of them. */
const MAX_MARKS = 100_000
const [QUOTE, BRACE, BRACKET] = Array.from('"{[', (mark) => mark.charCodeAt(0))

function isIntricate(text: string): boolean {
  if (text.length <= MAX_MARKS) return false
  let found = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === BRACE || code === BRACKET) found++
  }
  return found > MAX_MARKS
}

/** Throws the answer for a body that is not JSON, or that would take too long to parse. */
export function parseBody(text: string): unknown {
  if (isIntricate(text)) throw bodyTooIntricate(MAX_MARKS)
  const body = jsonOf(text)
  return ESCAPED_SURROGATE.test(text) ? wellFormed(body) : body
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('body is not valid JSON')
  }
}

/** Only an escape can make half a character: the text itself comes from UTF-8. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Half a character becomes U+FFFD, as in the database. Otherwise two names that differ here would
 * be the same one there. A body may be nested too deeply for recursion.
 */
function wellFormed(body: unknown): unknown {
  const root = { body }
  const open: object[] = [root]
  for (let node = open.pop(); node; node = open.pop()) {
    const fields = node as Record<string, unknown>
    for (const key of Object.keys(node)) {
      const value = fields[key]
      if (typeof value === 'object' && value !== null) open.push(value)
      const better = typeof value === 'string' ? value.toWellFormed() : value
      if (!key.isWellFormed()) delete fields[key]
      else if (better === value) continue
      Object.defineProperty(node, key.toWellFormed(), {
        value: better,
        ...{ enumerable: true, writable: true, configurable: true }
      })
    }
  }
  return root.body
}
