/** A field that differs: as it was, as it is now, and as the caller typed it. */
export type Difference = { field: string; was: unknown; theirs: unknown; mine: unknown }

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The fields that somebody else changed, or the caller did. */
export function differences<T extends object>(base: T, theirs: T, mine: T): Difference[] {
  const fields = new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(mine)])
  return [...fields].flatMap((field) => {
    const [was, now, typed] = [base, theirs, mine].map(
      (one) => (one as Record<string, unknown>)[field]
    )
    const isChanged = !isSame(was, now) || !isSame(was, typed)
    return isChanged && !isSame(now, typed) ? [{ field, was, theirs: now, mine: typed }] : []
  })
}

/** What the caller typed, and for the rest what is there now. */
export function merged<T extends object>(base: T, theirs: T, mine: T): T {
  const result = { ...theirs } as Record<string, unknown>
  for (const [field, typed] of Object.entries(mine)) {
    if (!isSame((base as Record<string, unknown>)[field], typed)) result[field] = typed
  }
  return result as T
}
