/** One key of a list's filters. Any of its values may match; all filters of a request must. */
export type MetaFilter = { key: string; patterns: readonly string[] }

/** Keys and values compare without regard to case; both sides pass through here. */
export const fold = (text: string): string => text.toLowerCase()

/** Query parameters with a meaning of their own, never the name of a metadata key. */
export const reservedParameters: ReadonlySet<string> = new Set([
  'type',
  'silent',
  'create_missing',
  'minimal',
  'force',
  'assigned',
  'assigned_only',
  'organization_id',
  'executor'
])

/** `room=hall&floor=1&floor=2`: an empty value is no filter, a key given twice means either value. */
export function metaFilters(query: object): MetaFilter[] {
  return Object.entries(query).flatMap(([key, given]) => {
    if (reservedParameters.has(key)) return []
    const patterns = [given].flat().filter((value) => typeof value === 'string' && value !== '')
    return patterns.length > 0 ? [{ key, patterns: patterns as string[] }] : []
  })
}

/** `*` stands for any text; everything else is literal. For `LIKE ... ESCAPE '\'`. */
export const likePattern = (pattern: string): string =>
  fold(pattern)
    .replace(/[\\%_]/g, (c) => `\\${c}`)
    .replaceAll('*', '%')
