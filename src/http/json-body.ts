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
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('body is not valid JSON')
  }
}
