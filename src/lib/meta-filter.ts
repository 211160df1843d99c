/** One key of a list's filters. Any of its values may match; all filters of a request must. */
export type MetaFilter = { key: string; patterns: readonly string[] }

/**
 * Keys and values compare without regard to case; both sides pass through here. At the end of a word
 * a sigma has another small letter, and the beginning of a text must not depend on what follows.
 */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Of the metadata filters of search. */
export const METADATA_PREFIX = 'metadata.'

/**
 * `room=hall&floor=1&floor=2`: an empty value is no filter, a key given twice means either value. The
 * query is that of a list without the parameters of its route.
 */
export const metaFilters = (query: object): MetaFilter[] => filtersOf(Object.entries(query))

/** `metadata.room=hall&metadata.Room=lobby`: the same. */
export const prefixedFilters = (query: object): MetaFilter[] =>
  filtersOf(
    Object.entries(query)
      .filter(([name]) => name.startsWith(METADATA_PREFIX))
      .map(([name, value]) => [name.slice(METADATA_PREFIX.length), value])
  )

/** Every key once, folded. */
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

/** `*` stands for any text; everything else is literal. For `LIKE ... ESCAPE '\'`. */
export const likePattern = (pattern: string): string =>
  fold(pattern)
    .replace(/[\\%_]/g, (c) => `\\${c}`)
    .replaceAll('*', '%')

type TextMap = Readonly<Record<string, string>>

/** Whether the pattern covers the whole of a text; both are compared folded. */
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
 * False only where no object with this JSON text can pass the filters: values without a wildcard
 * must stand in it. Far cheaper than parsing, for lists of thousands.
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

/** A test of one object's maps against every filter; leave out a map the caller may not see. */
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
