import {
  decimalsIn,
  packInts,
  packTexts,
  packValues,
  regularSteps,
  unpack,
  unpackTexts
} from '../../lib/packed.ts'
import type { Columns } from './columns.ts'
import { type Slots, slotsOf } from './slots.ts'
import { type Summary, summariesOf } from './summary.ts'
import { packSums, slotsIn, summariesIn } from './sums-frame.ts'

/** More samples would take longer to unpack for a short time span. */
export const MAX_SAMPLES_PER_BLOCK = 16_384
/** Long messages make small blocks, so that reading one needs little memory. */
export const MAX_TEXT_PER_BLOCK = 1024 * 1024

/** As ids are made. A part of the format, so it stays even if ids are made in another way. */
const IDS_PER_MS = 1000

/** In the order in which they lie in the file. What is asked for together lies together. */
export const frameNames = ['summaries', 'times', 'values', 'ids', 'texts'] as const
export type FrameName = (typeof frameNames)[number]
/** Each column packed for itself, so that a mean needs no ids. */
export type Frames = Readonly<Record<FrameName, Buffer>>

export type BlockHead = Pick<Columns, 'count' | 'first' | 'last' | 'textBytes'>
/** Where the columns of a block are. */
export type Source = {
  /** The bytes of a column, after checking them. */
  read: (name: FrameName) => Buffer
  /** All columns as they lie in the file, with the checksums that they should have. */
  copy: () => Copied
}
export type Copied = { frames: Frames; sums: readonly number[] }

const NOTHING = Buffer.alloc(0)

/** Memory for columns that were released, because new memory costs more than unpacking. */
const spare: Float64Array[] = []
const MAX_SPARE = 8

const columnOf = (count: number): Float64Array =>
  count > MAX_SAMPLES_PER_BLOCK
    ? new Float64Array(count)
    : (spare.pop() ?? new Float64Array(MAX_SAMPLES_PER_BLOCK)).subarray(0, count)

function takeBack(column: Float64Array | undefined): void {
  if (column && spare.length < MAX_SPARE && column.buffer.byteLength === SPARE_BYTES)
    spare.push(new Float64Array(column.buffer as ArrayBuffer))
}

const SPARE_BYTES = 8 * MAX_SAMPLES_PER_BLOCK

/** `columns` has at least one sample. */
export function packBlock(columns: Columns): Frames {
  const [times, values, texts] = [columns.times(), columns.values(), columns.texts()]
  const packedValues = packValues(values)
  const slots = slotsOf(times, values, decimalsIn(packedValues))
  return {
    summaries: packSums(summariesOf(times, values), slots),
    times: packInts(times),
    values: packedValues,
    ids: packIds(columns.ids(), times),
    texts: texts ? packTexts(texts) : NOTHING
  }
}

/**
 * Ids follow the arrival: a millisecond, and a number within it. Seen from the time of the sample,
 * the millisecond is the delay on the way. Ids of an import follow each other, whatever the times.
 */
function packIds(ids: Float64Array, times: Float64Array): Buffer {
  const plain = packInts(ids)
  if (regularSteps(plain)) return Buffer.concat([Buffer.alloc(4), plain])
  const numbers = packInts(ids.map((id) => id % IDS_PER_MS))
  const delays = packInts(ids.map((id, i) => Math.floor(id / IDS_PER_MS) - (times[i] as number)))
  if (plain.length <= numbers.length + delays.length) return Buffer.concat([Buffer.alloc(4), plain])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(numbers.length)
  return Buffer.concat([length, numbers, delays])
}

function unpackIds(packed: Buffer, times: () => Float64Array, count: number): Float64Array {
  const length = packed.readUInt32LE(0)
  const rest = packed.subarray(4)
  if (length === 0) return unpack(rest, count)
  const [numbers, delays] = [rest.subarray(0, length), rest.subarray(length)]
  const [within, late, at] = [unpack(numbers, count), unpack(delays, count), times()]
  return within.map((number, i) => ((at[i] as number) + (late[i] as number)) * IDS_PER_MS + number)
}

/** Packed samples of one topic. A column is read and unpacked when it is first asked for. */
export class Block implements Columns {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly textBytes: number
  readonly #source: Source
  #packedTimes: Buffer | undefined
  #times: Float64Array | undefined
  #values: Float64Array | undefined
  #ids: Float64Array | undefined
  #texts: readonly string[] | undefined
  #sums: Buffer | undefined
  #slots: Slots | undefined

  constructor({ count, first, last, textBytes }: BlockHead, source: Source) {
    this.count = count
    this.first = first
    this.last = last
    this.textBytes = textBytes
    this.#source = source
  }

  regular(): { first: number; step: number } | undefined {
    this.#packedTimes ??= this.#source.read('times')
    return regularSteps(this.#packedTimes)
  }

  times(): Float64Array {
    this.#packedTimes ??= this.#source.read('times')
    this.#times ??= unpack(this.#packedTimes, this.count, columnOf(this.count))
    return this.#times
  }

  values(): Float64Array {
    this.#values ??= unpack(this.#source.read('values'), this.count, columnOf(this.count))
    return this.#values
  }

  ids(): Float64Array {
    this.#ids ??= unpackIds(this.#source.read('ids'), () => this.times(), this.count)
    return this.#ids
  }

  texts(): readonly string[] | undefined {
    if (this.textBytes === 0) return undefined
    this.#texts ??= unpackTexts(this.#source.read('texts'), this.count)
    return this.#texts
  }

  summaries(): readonly Summary[] {
    this.#sums ??= this.#source.read('summaries')
    return summariesIn(this.#sums)
  }

  slots(longest: number): Slots | undefined {
    this.#sums ??= this.#source.read('summaries')
    this.#slots ??= slotsIn(this.#sums, longest)
    return this.#slots
  }

  /** Unpacks all of it, so that damage anywhere is an error. */
  readAll(): { hasTimesOfIndex: boolean; times: Float64Array } {
    const times = this.times()
    this.values()
    this.ids()
    this.texts()
    this.summaries()
    this.slots(Number.POSITIVE_INFINITY)
    const hasTimesOfIndex = times[0] === this.first && times[this.count - 1] === this.last
    return { hasTimesOfIndex, times }
  }

  release(): void {
    takeBack(this.#times)
    takeBack(this.#values)
    this.#times = undefined
    this.#values = undefined
    this.#ids = undefined
    this.#texts = undefined
    this.#sums = undefined
    this.#slots = undefined
  }

  copy(): Copied {
    return this.#source.copy()
  }
}
