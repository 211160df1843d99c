import { docOf, idOf } from '../../registry/search-marks.ts'
import type { SearchKind } from '../../registry/tables.ts'
import { chunkOf } from './chunks.ts'
import {
  addAll,
  type Bits,
  clearBit,
  countBits,
  DOCS_PER_CHUNK,
  docsOf,
  keepCommon,
  noBits,
  removeAll,
  setBit
} from './segment.ts'

const IDS_PER_PART = 1000

/** Documents of one kind. */
export class Docs {
  readonly #kind: SearchKind
  readonly #bits = new Map<number, Bits>()

  constructor(kind: SearchKind, bits: ReadonlyMap<number, Bits> = new Map()) {
    this.#kind = kind
    for (const [chunk, own] of bits) this.#bits.set(chunk, own)
  }

  static of(kind: SearchKind, ids: readonly number[]): Docs {
    const docs = new Docs(kind)
    for (const id of ids) docs.add(id)
    return docs
  }

  add(id: number): void {
    const doc = docOf(this.#kind, id)
    let bits = this.#bits.get(chunkOf(doc))
    if (!bits) {
      bits = noBits()
      this.#bits.set(chunkOf(doc), bits)
    }
    setBit(bits, doc % DOCS_PER_CHUNK)
  }

  remove(id: number): void {
    const doc = docOf(this.#kind, id)
    const bits = this.#bits.get(chunkOf(doc))
    if (bits) clearBit(bits, doc % DOCS_PER_CHUNK)
  }

  addFrom(other: Docs): void {
    for (const [chunk, bits] of other.#bits) {
      const own = this.#bits.get(chunk)
      if (own) addAll(own, bits)
      else this.#bits.set(chunk, bits)
    }
  }

  removeFrom(other: Docs): void {
    for (const [chunk, bits] of this.#bits) {
      const gone = other.#bits.get(chunk)
      if (gone) removeAll(bits, gone)
    }
  }

  keepCommon(other: Docs): void {
    for (const [chunk, bits] of this.#bits) {
      const kept = other.#bits.get(chunk)
      if (kept) keepCommon(bits, kept)
      else this.#bits.delete(chunk)
    }
  }

  get count(): number {
    let sum = 0
    for (const bits of this.#bits.values()) sum += countBits(bits)
    return sum
  }

  hasMoreThan(most: number): boolean {
    let sum = 0
    for (const bits of this.#bits.values()) {
      sum += countBits(bits)
      if (sum > most) return true
    }
    return false
  }

  /** In rising order, in parts: a few documents of each chunk are read together. */
  *ids(): Generator<number[]> {
    let part: number[] = []
    for (const chunk of [...this.#bits.keys()].sort((a, b) => a - b)) {
      for (const doc of docsOf(this.#bits.get(chunk) ?? noBits())) {
        part.push(idOf(chunk * DOCS_PER_CHUNK + doc))
      }
      if (part.length < IDS_PER_PART) continue
      yield part
      part = []
    }
    if (part.length > 0) yield part
  }

  page({ skip, take }: { skip: number; take: number }): number[] {
    const ids: number[] = []
    let before = 0
    for (const chunk of [...this.#bits.keys()].sort((a, b) => a - b)) {
      if (ids.length >= take) break
      const bits = this.#bits.get(chunk) ?? noBits()
      const count = countBits(bits)
      if (before + count > skip) {
        const start = Math.max(0, skip - before)
        const docs = docsOf(bits).slice(start, start + take - ids.length)
        for (const doc of docs) ids.push(idOf(chunk * DOCS_PER_CHUNK + doc))
      }
      before += count
    }
    return ids
  }
}
