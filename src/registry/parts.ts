import type { MetaFilter } from '../lib/meta-filter.ts'

/** Small at first, because each record may have as much metadata as the limit allows. */
const FIRST_PART_RECORDS = 2
const MAX_PART_RECORDS = 200
/** Smaller with filters, because the size of records that do not match stays unknown. */
const MAX_FILTERED_PART_RECORDS = 64
/** Metadata in one part, so that no part blocks the event loop for long. */
const MAX_PART_CHARACTERS = 512 * 1024

type Sized = {
  meta: Readonly<Record<string, string>>
  protected_meta: Readonly<Record<string, string>>
}

/**
 * Reads the records of these ids in parts, in the order of the ids. The size of the last records
 * decides how many the next part reads.
 */
export async function* readInParts<T extends Sized>(
  ids: readonly number[],
  read: (ids: readonly number[]) => Promise<T[]>,
  filters: readonly MetaFilter[]
): AsyncGenerator<T[]> {
  const most = filters.length > 0 ? MAX_FILTERED_PART_RECORDS : MAX_PART_RECORDS
  let size = FIRST_PART_RECORDS
  for (let start = 0; start < ids.length; ) {
    const part = await read(ids.slice(start, start + size))
    yield part
    start += size
    const characters = part.reduce((sum, one) => sum + charactersOf(one), 1)
    const good = Math.floor((MAX_PART_CHARACTERS * part.length) / characters)
    size = Math.max(1, Math.min(good || FIRST_PART_RECORDS, 4 * size, most))
  }
}

const charactersOf = ({ meta, protected_meta }: Sized): number => {
  let characters = 100
  for (const map of [meta, protected_meta]) {
    for (const key in map) characters += key.length + (map[key]?.length ?? 0)
  }
  return characters
}
