import { MAX_SAMPLES_PER_BLOCK } from './block.ts'
import { ENTRIES_PER_PAGE, ENTRY_BYTES, type Entry, entryAt, MAGIC } from './pack-layout.ts'

/** So many bytes are searched at once. */
const SEARCHED_BYTES = 4 * 1024 * 1024
/** Where an entry has the place of its block. */
const OFFSET_IN_ENTRY = 24

type Read = (offset: number, length: number) => Buffer

/**
 * The pages of the index of a file whose directory is lost, up to the first one that is broken. A
 * page follows its blocks, and its entries say where they begin and end: no other bytes fit. The
 * blocks must still be checked. [ADR-0051]
 */
export function* findPages(size: number, read: Read): Generator<Buffer> {
  for (let start = MAGIC.length; ; ) {
    const found = findPage(start, size, read)
    if (found === undefined) return
    yield found.page
    start = found.at + found.page.length
  }
}

/** The page whose first block begins at `start`. */
function findPage(
  start: number,
  size: number,
  read: Read
): { at: number; page: Buffer } | undefined {
  const beginning = Buffer.alloc(8)
  beginning.writeDoubleLE(start)
  let from = start + OFFSET_IN_ENTRY
  while (from + beginning.length <= size) {
    const bytes = read(from, Math.min(SEARCHED_BYTES, size - from))
    for (let i = bytes.indexOf(beginning); i >= 0; i = bytes.indexOf(beginning, i + 1)) {
      const at = from + i - OFFSET_IN_ENTRY
      const page = pageAt(at, start, read(at, Math.min(ENTRIES_PER_PAGE * ENTRY_BYTES, size - at)))
      if (page) return { at, page }
    }
    if (from + bytes.length === size) return undefined
    // The beginning may lie across two reads.
    from += bytes.length - beginning.length + 1
  }
  return undefined
}

/** Undefined when the blocks of these entries do not lie between `start` and the page. */
function pageAt(at: number, start: number, bytes: Buffer): Buffer | undefined {
  let [end, topic_id] = [start, 0]
  for (let i = 0; (i + 1) * ENTRY_BYTES <= bytes.length; i++) {
    const entry = entryAt(bytes, i)
    if (entry.offset !== end || entry.topic_id < topic_id || !isLikely(entry)) return undefined
    topic_id = entry.topic_id
    for (const length of entry.lengths) end += length
    if (end === at) return bytes.subarray(0, (i + 1) * ENTRY_BYTES)
    if (end > at) return undefined
  }
  return undefined
}

const isLikely = ({ topic_id, count, first, last }: Entry): boolean =>
  Number.isSafeInteger(topic_id) && first <= last && count > 0 && count <= MAX_SAMPLES_PER_BLOCK
