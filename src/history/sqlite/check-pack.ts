import { type Block, MAX_SAMPLES_PER_BLOCK } from './block.ts'
import { PackReader } from './pack-file.ts'

/** Blocks that cannot be read; their samples are lost. */
export type BrokenBlock = {
  topic_id: number
  first: number
  last: number
  samples: number
  fault: string
}
/** `fault` is set if the index itself is broken, so that nobody knows what else is in the file. */
export type CheckedPack = { samples: number; broken: BrokenBlock[]; fault?: string }

/** More are counted but not listed. */
const MAX_BROKEN = 1000

/** Reads and unpacks every column of every block. */
export function checkPack(path: string, onBlock: () => void = () => {}): CheckedPack {
  const checked: CheckedPack = { samples: 0, broken: [] }
  const reader = new PackReader(path)
  try {
    for (const { topic_id, block } of reader.blocks()) {
      const fault = faultOf(block)
      const { count: samples, first, last } = block
      checked.samples += samples
      if (fault !== undefined && checked.broken.length < MAX_BROKEN)
        checked.broken.push({ topic_id, first, last, samples, fault })
      onBlock()
    }
  } catch (error) {
    checked.fault = (error as Error).message
  } finally {
    reader.rest()
  }
  return checked
}

function faultOf(block: Block): string | undefined {
  const { count } = block
  if (count < 1 || count > MAX_SAMPLES_PER_BLOCK) return `it has ${count} samples`
  try {
    const { hasTimesOfIndex, times } = block.readAll()
    if (!hasTimesOfIndex) return 'its times are not those of the index'
    for (let i = 1; i < count; i++)
      if ((times[i] as number) < (times[i - 1] as number)) return 'its times are not in order'
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    block.release()
  }
}
