import {
  addAll,
  addSteps,
  BITMAP_BYTES,
  type Bits,
  decodeInto,
  keepCommon,
  keepSteps,
  WORDS_PER_CHUNK
} from './segment.ts'

/** What is read again has larger sets as bitmaps: they take more memory, and much less time. */
const STEP_BYTES_READ_AGAIN = 512

export const NO_SET: Uint8Array = new Uint8Array()

/** For each of some segments the set of documents that have a token. It never changes. */
export class TokenSets {
  readonly segments: readonly number[]
  /** All sets, each from the begin of a word, in memory of their own. */
  readonly #words: Int32Array
  readonly #bytes: Uint8Array
  /** Where the sets begin, in words, and how many bytes they have. */
  readonly #starts: Uint32Array
  readonly #lengths: Uint16Array
  readonly #mostStepBytes: number

  constructor(
    segments: readonly number[],
    sets: readonly Uint8Array[],
    mostStepBytes = BITMAP_BYTES
  ) {
    this.segments = segments
    this.#mostStepBytes = mostStepBytes
    this.#starts = new Uint32Array(sets.length)
    this.#lengths = Uint16Array.from(sets, ({ length }) =>
      length > mostStepBytes ? BITMAP_BYTES : length
    )
    let words = 0
    for (const [place, length] of this.#lengths.entries()) {
      this.#starts[place] = words
      words += Math.ceil(length / 4)
    }
    this.#words = new Int32Array(words)
    this.#bytes = new Uint8Array(this.#words.buffer)
    for (const [place, set] of sets.entries()) {
      const { start } = this.#place(place)
      if (set.length > mostStepBytes) decodeInto(this.#bitmap(place), set)
      else if (set.length > 0) this.#bytes.set(set, start)
    }
  }

  get bytes(): number {
    const lists = this.#starts.byteLength + this.#lengths.byteLength + 8 * this.segments.length
    return this.#bytes.length + lists
  }

  hasSome(place: number): boolean {
    return this.#lengths[place] !== 0
  }

  addTo(bits: Bits, place: number): void {
    if (this.#isBitmap(place)) addAll(bits, this.#words, this.#starts[place])
    else addSteps(bits, this.#bytes, this.#place(place))
  }

  /** Of these documents, keeps those that have the token. Whether some are left. */
  keepIn(bits: Bits, place: number): boolean {
    return this.#isBitmap(place)
      ? keepCommon(bits, this.#words, this.#starts[place])
      : keepSteps(bits, this.#bytes, this.#place(place))
  }

  /** The same for a token that was asked for again. */
  get readAgain(): TokenSets {
    return this.#mostStepBytes === STEP_BYTES_READ_AGAIN
      ? this
      : new TokenSets(this.segments, this.listed(this.segments), STEP_BYTES_READ_AGAIN)
  }

  /** Which of these segments it knows nothing of. */
  lacks(segments: readonly number[]): readonly number[] {
    if (this.#isOf(segments)) return []
    const known = new Set(this.segments)
    return segments.filter((segment) => !known.has(segment))
  }

  /** Of these segments, of which it lacks none. */
  of(segments: readonly number[]): TokenSets {
    return this.#isOf(segments) ? this : new TokenSets(segments, this.listed(segments))
  }

  /** Empty for those that it lacks. */
  listed(segments: readonly number[]): Uint8Array[] {
    const places = new Map(this.segments.map((segment, place) => [segment, place]))
    return segments.map((segment) => {
      const place = places.get(segment)
      if (place === undefined) return NO_SET
      const { start, end } = this.#place(place)
      return this.#bytes.subarray(start, end)
    })
  }

  #isOf(segments: readonly number[]): boolean {
    const own = this.segments
    return own.length === segments.length && own.every((segment, i) => segment === segments[i])
  }

  #isBitmap(place: number): boolean {
    return this.#lengths[place] === BITMAP_BYTES
  }

  #bitmap(place: number): Bits {
    const start = this.#starts[place] ?? 0
    return this.#words.subarray(start, start + WORDS_PER_CHUNK)
  }

  /** In bytes. */
  #place(place: number): { start: number; end: number } {
    const start = 4 * (this.#starts[place] ?? 0)
    return { start, end: start + (this.#lengths[place] ?? 0) }
  }
}
