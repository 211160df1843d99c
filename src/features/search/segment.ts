import { BUCKETS, bucketOf, type WideToken } from './wide-tokens.ts'

/**
 * A segment is the index of documents with neighbouring numbers. It is written once and never
 * changed. Each bucket has the sets of documents of some tokens, one after the other:
 * the token (4 bytes), the length of the set (2 bytes), the set.
 */
export const DOCS_PER_CHUNK = 16_384

/** One bit for each document of a chunk. */
export type Bits = Int32Array
export const WORDS_PER_CHUNK = DOCS_PER_CHUNK / 32
export const noBits = (): Bits => new Int32Array(WORDS_PER_CHUNK)
/** In one piece: to make hundreds of small ones takes longer than to work with them. */
export function bitsOfChunks(count: number): Bits[] {
  const all = new Int32Array(count * WORDS_PER_CHUNK)
  return Array.from({ length: count }, (_, i) =>
    all.subarray(i * WORDS_PER_CHUNK, (i + 1) * WORDS_PER_CHUNK)
  )
}
export const BITMAP_BYTES = DOCS_PER_CHUNK / 8
const ENTRY_BYTES = 6

const BUCKETS_PER_GROUP = 64
/** The tokens of some buckets and their documents, each as one number, so that sorting is fast. */
type Group = { pairs: Float64Array; length: number }

/** Collects the tokens of documents, in the order of the documents. */
export class SegmentBuilder {
  readonly #all = noBits()
  readonly #groups: Group[] = Array.from({ length: BUCKETS / BUCKETS_PER_GROUP }, () => ({
    pairs: new Float64Array(1024),
    length: 0
  }))

  add(offset: number, tokens: readonly WideToken[]): void {
    setBit(this.#all, offset)
    for (const token of tokens) {
      const group = this.#groups[Math.floor(token / GROUP_SIZE)]
      if (!group) continue
      if (group.length === group.pairs.length) {
        const longer = new Float64Array(2 * group.length)
        longer.set(group.pairs)
        group.pairs = longer
      }
      group.pairs[group.length++] = (token % GROUP_SIZE) * DOCS_PER_CHUNK + offset
    }
  }

  /** The documents that were added. */
  get all(): Bits {
    return this.#all
  }

  /** The buckets of a segment in rising order, some at a time. */
  *buckets(): Generator<{ bucket: number; sets: Uint8Array }[]> {
    for (const [at, { pairs, length }] of this.#groups.entries()) {
      const first = at * BUCKETS_PER_GROUP
      const rows = [...encodeGroup(pairs.subarray(0, length).sort())]
      yield rows.map(({ bucket, sets }) => ({ bucket: first + bucket, sets }))
    }
  }
}
const GROUP_SIZE = BUCKETS_PER_GROUP * 2 ** 32

/** Sorted pairs have the documents of a token next to each other, and the tokens of a bucket. */
function* encodeGroup(pairs: Float64Array): Generator<{ bucket: number; sets: Uint8Array }> {
  let parts: Uint8Array[] = []
  for (let at = 0; at < pairs.length; ) {
    const token = Math.floor((pairs[at] ?? 0) / DOCS_PER_CHUNK)
    const docs: number[] = []
    for (; at < pairs.length; at++) {
      const doc = (pairs[at] ?? 0) - token * DOCS_PER_CHUNK
      if (doc >= DOCS_PER_CHUNK) break
      if (docs.at(-1) !== doc) docs.push(doc)
    }
    parts.push(...encodeEntry(token % 2 ** 32, docs))
    const bucket = bucketOf(token)
    const isLast =
      at === pairs.length || (pairs[at] ?? 0) >= (bucket + 1) * 2 ** 32 * DOCS_PER_CHUNK
    if (!isLast) continue
    yield { bucket, sets: Buffer.concat(parts) }
    parts = []
  }
}

function encodeEntry(token: number, docs: readonly number[]): Uint8Array[] {
  const set = encodeSet(docs)
  const head = Uint8Array.of(
    ...[token >>> 24, token >>> 16, token >>> 8, token],
    ...[set.length >> 8, set.length]
  )
  return [head, set]
}

/** The differences of neighbours in 7 bits a byte, or a bitmap if that is shorter. */
export function encodeSet(docs: readonly number[]): Uint8Array {
  const bytes: number[] = []
  let last = -1
  for (const doc of docs) {
    const step = doc - last - 1
    if (step < 128) bytes.push(step)
    else bytes.push(128 | (step & 127), step >> 7)
    last = doc
    if (bytes.length >= BITMAP_BYTES) return bitmapOf(docs)
  }
  return Uint8Array.from(bytes)
}

function bitmapOf(docs: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(BITMAP_BYTES)
  for (const doc of docs) bytes[doc >> 3] = (bytes[doc >> 3] ?? 0) | (1 << (doc & 7))
  return bytes
}

/** Calls `use` with the number of each token that a row of a bucket has, and where its set is. */
export function eachSetIn(
  sets: Uint8Array,
  row: { start: number; end: number },
  tokens: readonly WideToken[],
  use: (number: number, start: number, end: number) => void
): void {
  const view = new DataView(sets.buffer, sets.byteOffset, sets.byteLength)
  let left = tokens.length
  for (let at = row.start; left > 0 && at + ENTRY_BYTES <= row.end; ) {
    const start = at + ENTRY_BYTES
    const end = start + view.getUint16(at + 4)
    const own = view.getUint32(at)
    for (let i = 0; i < tokens.length; i++) {
      if ((tokens[i] ?? 0) % 2 ** 32 !== own) continue
      use(i, start, end)
      left--
    }
    at = end
  }
}

/** Bitmaps are little-endian, as the processors are that Node.js supports. */
const bitmapBytes = new Uint8Array(BITMAP_BYTES)
const bitmapWords = new Int32Array(bitmapBytes.buffer)

export function decodeInto(bits: Bits, set: Uint8Array): void {
  if (set.length < BITMAP_BYTES) addSteps(bits, set, { start: 0, end: set.length })
  else {
    bitmapBytes.set(set)
    addAll(bits, bitmapWords)
  }
}

/** Where a set is that is no bitmap. */
type Steps = { start: number; end: number }

export function addSteps(bits: Bits, sets: Uint8Array, { start, end }: Steps): void {
  let doc = -1
  for (let at = start; at < end; at++) {
    const byte = sets[at] ?? 0
    doc += 1 + (byte < 128 ? byte : (byte & 127) | ((sets[++at] ?? 0) << 7))
    bits[doc >> 5] = (bits[doc >> 5] ?? 0) | (1 << (doc & 31))
  }
}

const common = new Uint16Array(BITMAP_BYTES)

/** Whether some are left. The set has few documents, so the other words are not even read. */
export function keepSteps(bits: Bits, sets: Uint8Array, { start, end }: Steps): boolean {
  let count = 0
  let doc = -1
  for (let at = start; at < end; at++) {
    const byte = sets[at] ?? 0
    doc += 1 + (byte < 128 ? byte : (byte & 127) | ((sets[++at] ?? 0) << 7))
    common[count] = doc
    count += ((bits[doc >> 5] ?? 0) >>> (doc & 31)) & 1
  }
  bits.fill(0)
  for (let i = 0; i < count; i++) setBit(bits, common[i] ?? 0)
  return count > 0
}

export const hasBit = (bits: Bits, doc: number): boolean =>
  ((bits[doc >> 5] ?? 0) & (1 << (doc & 31))) !== 0

export function setBit(bits: Bits, doc: number): void {
  bits[doc >> 5] = (bits[doc >> 5] ?? 0) | (1 << (doc & 31))
}

export function clearBit(bits: Bits, doc: number): void {
  bits[doc >> 5] = (bits[doc >> 5] ?? 0) & ~(1 << (doc & 31))
}

/** Whether some are left. `first` is the first word of the others. */
export function keepCommon(bits: Bits, others: Int32Array, first = 0): boolean {
  let all = 0
  for (let at = 0; at < bits.length; at++) {
    const word = (bits[at] ?? 0) & (others[first + at] ?? 0)
    bits[at] = word
    all |= word
  }
  return all !== 0
}

export function addAll(bits: Bits, others: Int32Array, first = 0): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) | (others[first + at] ?? 0)
}

export function removeAll(bits: Bits, other: Bits): void {
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) & ~(other[at] ?? 0)
}

export function countBits(bits: Bits): number {
  let sum = 0
  for (let at = 0; at < bits.length; at++) {
    let word = bits[at] ?? 0
    if (word === 0) continue
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    sum += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return sum
}

/** The documents in rising order. */
export function docsOf(bits: Bits): number[] {
  const docs: number[] = []
  for (let at = 0; at < bits.length; at++) {
    for (let word = bits[at] ?? 0; word !== 0; word &= word - 1) {
      docs.push(at * 32 + 31 - Math.clz32(word & -word))
    }
  }
  return docs
}

/** As a column keeps them. Null if there are none. */
export const storedBits = (bits: Bits): Uint8Array | null =>
  countBits(bits) === 0 ? null : encodeSet(docsOf(bits))

export function readBits(stored: Uint8Array | null): Bits {
  const bits = noBits()
  if (stored) decodeInto(bits, stored)
  return bits
}
