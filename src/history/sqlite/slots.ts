import { packTable, unpackTable } from '../../lib/packed.ts'
import { HOUR, MINUTE, SECOND } from '../../lib/unix-time.ts'

/** Neighbouring samples of a topic, summed up for each slot of time that has some. */
export type Slots = {
  /** The length of every slot in milliseconds. Slots begin at its multiples. */
  length: number
  /** As `beginsOf` answers. */
  begins: Uint32Array
  starts: Float64Array
  firsts: Float64Array
  lasts: Float64Array
  mins: Float64Array
  maxes: Float64Array
  sums: Float64Array
}

/** Buckets of 10, 15 or 30 minutes, of hours, or of days in most zones consist of slots. */
const LENGTHS = [MINUTE, 10 * MINUTE, HOUR]
/** With fewer samples in a slot, unpacking them costs little more, and slots many bytes. */
export const SAMPLES_PER_SLOT = 30
const COLUMNS = 7
const HEADER_BYTES = 6

/** The shortest slots that have enough samples; undefined when even the longest have not. */
export function slotsOf(
  times: Float64Array,
  values: Float64Array,
  decimals: number | undefined
): Slots | undefined {
  for (const length of LENGTHS) {
    const begins = beginsOf(times, length, times.length / SAMPLES_PER_SLOT)
    if (begins) return summedUp(times, values, { length, begins, decimals })
  }
  return undefined
}

/**
 * The index of the first sample of each slot, and at last the number of samples. Undefined when
 * there are more slots than `most`.
 */
export function beginsOf(
  times: Float64Array,
  length: number,
  most: number
): Uint32Array | undefined {
  const begins: number[] = []
  let stop = Number.NEGATIVE_INFINITY
  for (let i = 0; i < times.length; i++) {
    const time = times[i] as number
    if (time < stop) continue
    begins.push(i)
    if (begins.length > most) return undefined
    stop = (Math.floor(time / length) + 1) * length
  }
  begins.push(times.length)
  return Uint32Array.from(begins)
}

function summedUp(
  times: Float64Array,
  values: Float64Array,
  { length, begins, decimals }: Pick<Slots, 'length' | 'begins'> & { decimals: number | undefined }
): Slots {
  const [starts, firsts, lasts, mins, maxes, sums] = emptyColumns(begins.length - 1)
  for (let slot = 0; slot < starts.length; slot++) {
    const [begin, end] = [begins[slot] as number, begins[slot + 1] as number]
    let min = values[begin] as number
    let max = min
    let sum = 0
    for (let i = begin; i < end; i++) {
      const value = values[i] as number
      if (value < min) min = value
      if (value > max) max = value
      sum += value
    }
    starts[slot] = Math.floor((times[begin] as number) / length) * length
    firsts[slot] = values[begin] as number
    lasts[slot] = values[end - 1] as number
    mins[slot] = min
    maxes[slot] = max
    sums[slot] = decimals === undefined ? sum : rounded(sum, 10 ** decimals)
  }
  return { length, begins, starts, firsts, lasts, mins, maxes, sums }
}

/** A sum has no more decimals than its values. What is left of them beyond is an error of rounding. */
function rounded(sum: number, scale: number): number {
  const scaled = Math.round(sum * scale)
  // Adding 0 makes 0 of -0.
  return Number.isSafeInteger(scaled) ? scaled / scale + 0 : sum
}

const emptyColumns = (slots: number) => {
  const column = () => new Float64Array(slots)
  return [column(), column(), column(), column(), column(), column()] as const
}

export function packSlots(slots: Slots): Buffer {
  const { length, begins, starts, firsts, lasts, mins, maxes, sums } = slots
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(length / SECOND, 0)
  header.writeUInt16LE(starts.length, 4)
  const numbers = starts.map((start) => start / length)
  const counts = numbers.map((_, i) => (begins[i + 1] as number) - (begins[i] as number))
  return Buffer.concat([header, packTable([numbers, counts, firsts, lasts, mins, maxes, sums])])
}

/** The length of slots, without unpacking them. */
export const slotLength = (packed: Buffer): number => packed.readUInt32LE(0) * SECOND

export function unpackSlots(packed: Buffer): Slots {
  const length = slotLength(packed)
  const slots = packed.readUInt16LE(4)
  const table = unpackTable(packed.subarray(HEADER_BYTES), COLUMNS, slots)
  const [starts, counts, firsts, lasts, mins, maxes, sums] = table as Table
  const begins = new Uint32Array(slots + 1)
  for (let i = 0; i < slots; i++) {
    begins[i + 1] = (begins[i] as number) + (counts[i] as number)
    starts[i] = (starts[i] as number) * length
  }
  return { length, begins, starts, firsts, lasts, mins, maxes, sums }
}

type Column = Float64Array
type Table = [Column, Column, Column, Column, Column, Column, Column]
