import type { MetaFilter } from '../lib/meta-filter.ts'

/** At first: each may be as large as its metadata may be. */
const FIRST = 2
const MOST = 200
/** Where some are left out for their metadata, and nobody knows how large those were. */
const MOST_FILTERED = 64
/** Of a part; none of them takes the event loop for long. */
const CHARACTERS = 512 * 1024

type Sized = {
  meta: Readonly<Record<string, string>>
  protected_meta: Readonly<Record<string, string>>
}

/**
 * Reads what these ids name a part at a time, in their order. The next part is as many as were good
 * to hold of the last ones.
 */
export async function* readInParts<T extends Sized>(
  ids: readonly number[],
  read: (ids: readonly number[]) => Promise<T[]>,
  filters: readonly MetaFilter[]
): AsyncGenerator<T[]> {
  const most = filters.length > 0 ? MOST_FILTERED : MOST
  let size = FIRST
  for (let start = 0; start < ids.length; ) {
    const part = await read(ids.slice(start, start + size))
    yield part
    start += size
    const characters = part.reduce((sum, one) => sum + charactersOf(one), 1)
    const good = Math.floor((CHARACTERS * part.length) / characters)
    size = Math.max(1, Math.min(good || FIRST, 4 * size, most))
  }
}

const charactersOf = ({ meta, protected_meta }: Sized): number => {
  let characters = 100
  for (const map of [meta, protected_meta]) {
    for (const key in map) characters += key.length + (map[key]?.length ?? 0)
  }
  return characters
}
