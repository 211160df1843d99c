import { packSlots, type Slots, slotLength, unpackSlots } from './slots.ts'
import { packSummaries, type Summary, unpackSummaries } from './summary.ts'

/**
 * What a block has besides its samples: the number of summaries, the summaries, slots, and how many
 * bytes the slots take. Blocks of few samples have nothing. Blocks of earlier versions have no slots,
 * and blocks whose samples are far apart neither; then the flag in the number is not set.
 */
const HAS_SLOTS = 0x80_00
const COUNT_BYTES = 2
const LENGTH_BYTES = 4
const NOTHING = Buffer.alloc(0)

export function packSums(summaries: readonly Summary[], slots: Slots | undefined): Buffer {
  if (summaries.length === 0) return NOTHING
  const count = Buffer.alloc(COUNT_BYTES)
  const packed = packSummaries(summaries)
  count.writeUInt16LE(summaries.length + (slots ? HAS_SLOTS : 0))
  if (slots === undefined) return Buffer.concat([count, packed])
  const packedSlots = packSlots(slots)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(packedSlots.length)
  return Buffer.concat([count, packed, packedSlots, length])
}

export function summariesIn(sums: Buffer): Summary[] {
  if (sums.length === 0) return []
  const count = sums.readUInt16LE(0) % HAS_SLOTS
  return unpackSummaries(sums.subarray(COUNT_BYTES, beginOfSlots(sums)), count)
}

/** Undefined when there are none, or they are longer than this. */
export function slotsIn(sums: Buffer, longest: number): Slots | undefined {
  const packed = sums.subarray(beginOfSlots(sums), -LENGTH_BYTES)
  return packed.length > 0 && slotLength(packed) <= longest ? unpackSlots(packed) : undefined
}

/** The end of the frame if it has no slots. */
function beginOfSlots(sums: Buffer): number {
  if (sums.length === 0 || sums.readUInt16LE(0) < HAS_SLOTS) return sums.length
  const end = sums.length - LENGTH_BYTES
  return end - sums.readUInt32LE(end)
}
