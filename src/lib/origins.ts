/** `*`, or origins as browsers send them, such as `https://app.example.org`. */
export type Origins = '*' | ReadonlySet<string>

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** The first part of a list that is no origin. `*` must be alone. */
export function originsFault(text: string): string | undefined {
  const parts = partsOf(text)
  if (parts.length === 1 && parts[0] === '*') return undefined
  return parts.find((part) => !isOrigin(part))
}

export function originsOf(text: string): Origins {
  const parts = partsOf(text)
  return parts[0] === '*' ? '*' : new Set(parts)
}

/** Browsers compare the text, so a path, a capital letter or the usual port would never match. */
const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
