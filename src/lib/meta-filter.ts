/**
 * One key of a list's filters. One of its values must match. All filters of a request must match.
 */
export type MetaFilter = { key: string; patterns: readonly string[] }

/**
 * Folds keys and values, so that they compare without case. A sigma at the end of a word has
 * another small letter. It becomes a normal sigma, so that the start of a text does not depend on
 * its end.
 */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Search has this prefix before the keys of metadata filters. */
export const METADATA_PREFIX = 'metadata.'

/**
 * `room=hall&floor=1&floor=2`: an empty value is no filter, and a key given twice means either
 * value. Pass the query of a list without the parameters of its route.
 */
export const metaFilters = (query: object): MetaFilter[] => filtersOf(Object.entries(query))

/** The same for `metadata.room=hall&metadata.Room=lobby`. */
export const prefixedFilters = (query: object): MetaFilter[] =>
  filtersOf(
    Object.entries(query)
      .filter(([name]) => name.startsWith(METADATA_PREFIX))
      .map(([name, value]) => [name.slice(METADATA_PREFIX.length), value])
  )

/** Each key appears once, folded. */
function filtersOf(given: readonly (readonly [key: string, value: unknown])[]): MetaFilter[] {
  const byKey = Map.groupBy(given, ([key]) => fold(key))
  return [...byKey].flatMap(([key, entries]) =>
    filterOf(
      key,
      entries.map(([, value]) => value)
    )
  )
}

function filterOf(key: string, given: unknown[]): MetaFilter[] {
  const patterns = given.flat().filter((value) => typeof value === 'string' && value !== '')
  return patterns.length > 0 ? [{ key, patterns: patterns as string[] }] : []
}

/** For `LIKE ... ESCAPE '\'`: `*` stands for any text; everything else is literal. */
export const likePattern = (pattern: string): string =>
  fold(pattern)
    .replace(/[\\%_]/g, (c) => `\\${c}`)
    .replaceAll('*', '%')

type TextMap = Readonly<Record<string, string>>

/** Whether the pattern matches the whole text. Pass the text folded. */
export function wildcard(pattern: string): (folded: string) => boolean {
  const [head = '', ...parts] = fold(pattern).split('*')
  const tail = parts.pop()
  if (tail === undefined) return (text) => text === head
  return (text) => {
    if (text.length < head.length + tail.length) return false
    if (!text.startsWith(head) || !text.endsWith(tail)) return false
    let at = head.length
    for (const part of parts) {
      const found = text.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= text.length - tail.length
  }
}

/**
 * False only when no object with this JSON text can pass the filters: values without a wildcard
 * must be in the text. This is much cheaper than parsing, for lists of thousands.
 */
export function mayMatch(filters: readonly MetaFilter[]): (json: string) => boolean {
  const wanted = filters
    .filter(({ patterns }) => !patterns.some((pattern) => pattern.includes('*')))
    .map(({ patterns }) => patterns.map((pattern) => fold(JSON.stringify(pattern))))
  return (json) => {
    if (wanted.length === 0) return true
    const folded = fold(json)
    return wanted.every((values) => values.some((value) => folded.includes(value)))
  }
}

/**
 * Tests the maps of one object against every filter. Leave out a map that the caller may not see.
 */
export function metaMatcher(
  filters: readonly MetaFilter[]
): (...maps: readonly TextMap[]) => boolean {
  const wanted = filters.map(({ key, patterns }) => ({
    key: fold(key),
    tests: patterns.map(wildcard)
  }))
  return (...maps) => {
    const pairs = maps.flatMap((map) => Object.entries(map))
    return wanted.every((filter) =>
      pairs.some(
        ([key, value]) => fold(key) === filter.key && filter.tests.some((test) => test(fold(value)))
      )
    )
  }
}
