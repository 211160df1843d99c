import { firstIndex } from '../../lib/first-index.ts'
import { type BlockHead, frameNames } from './block.ts'

/**
 * A file of packed samples that is written once and never changed: columns of blocks, with a page
 * of the index after every some blocks; then the directory of these pages; then the end, which says
 * where the directory is. Blocks are sorted by topic and time. Everything has a checksum.
 * [ADR-0045]
 */
export const MAGIC = Buffer.from('caracal1')
export const ENTRY_BYTES = 32 + 8 + 8 * frameNames.length
export const ENTRIES_PER_PAGE = 128
export const LISTING_BYTES = 32
export const END_BYTES = 16 + MAGIC.length
export type Entry = BlockHead & {
  topic_id: number
  offset: number
  lengths: readonly number[]
  sums: readonly number[]
}
/** A page of the index; `topic_id` and `first` are those of its first block. */
export type Listing = {
  topic_id: number
  first: number
  offset: number
  entries: number
  sum: number
}

export function entryBytes({
  topic_id,
  first,
  last,
  offset,
  count,
  textBytes,
  lengths,
  sums
}: Entry) {
  const bytes = Buffer.alloc(ENTRY_BYTES)
  let at = 0
  for (const number of [topic_id, first, last, offset]) at = bytes.writeDoubleLE(number, at)
  for (const number of [count, textBytes, ...lengths, ...sums]) at = bytes.writeUInt32LE(number, at)
  return bytes
}

export function entryAt(page: Buffer, index: number): Entry {
  const at = index * ENTRY_BYTES
  const numbersFrom = (start: number) =>
    frameNames.map((_, i) => page.readUInt32LE(at + start + 4 * i))
  return {
    topic_id: page.readDoubleLE(at),
    first: page.readDoubleLE(at + 8),
    last: page.readDoubleLE(at + 16),
    offset: page.readDoubleLE(at + 24),
    count: page.readUInt32LE(at + 32),
    textBytes: page.readUInt32LE(at + 36),
    lengths: numbersFrom(40),
    sums: numbersFrom(40 + 4 * frameNames.length)
  }
}

/** The first block of the topic in a page of the index, or of the next topic. */
export function entryIndexOf(page: Buffer, topic_id: number): number {
  return firstIndex(page.length / ENTRY_BYTES, (i) => page.readDoubleLE(i * ENTRY_BYTES) < topic_id)
}

export function listingBytes({ topic_id, first, offset, entries, sum }: Listing): Buffer {
  const bytes = Buffer.alloc(LISTING_BYTES)
  let at = 0
  for (const number of [topic_id, first, offset]) at = bytes.writeDoubleLE(number, at)
  for (const number of [entries, sum]) at = bytes.writeUInt32LE(number, at)
  return bytes
}

export const listingAt = (directory: Buffer, at: number): Listing => ({
  topic_id: directory.readDoubleLE(at),
  first: directory.readDoubleLE(at + 8),
  offset: directory.readDoubleLE(at + 16),
  entries: directory.readUInt32LE(at + 24),
  sum: directory.readUInt32LE(at + 28)
})
