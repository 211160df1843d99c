import type { Block } from './block.ts'
import { DamagedPack, type PackReader } from './pack-file.ts'

/** Samples of a topic that cannot be read. */
export type Lost = { topic_id: number; samples: number; first: number; last: number }
/** What is broken in a file. `kept`: the number of samples that are whole. */
export type Salvaged = { reason: string; kept: number; lost: Lost[] }

/**
 * Reads and decodes every block of a file, and hands over those that are whole. Undefined when
 * nothing is broken.
 */
export function salvage(
  reader: PackReader,
  bytes: number,
  keep: (topic_id: number, block: Block) => void
): Salvaged | undefined {
  let reason: string | undefined
  const fault = (error: unknown) => {
    if (!(error instanceof DamagedPack)) throw error
    reason ??= error.what
  }
  try {
    reader.check(bytes)
  } catch (error) {
    fault(error)
  }
  let kept = 0
  const lost = new Map<number, Lost>()
  for (const { topic_id, block } of reader.readableBlocks(fault)) {
    try {
      reader.checkBlock(topic_id, block)
    } catch (error) {
      fault(error)
      add(lost, topic_id, block)
      continue
    }
    kept += block.count
    keep(topic_id, block)
  }
  return reason === undefined ? undefined : { reason, kept, lost: [...lost.values()] }
}

function add(lost: Map<number, Lost>, topic_id: number, { count, first, last }: Block): void {
  const before = lost.get(topic_id)
  lost.set(topic_id, {
    topic_id,
    samples: (before?.samples ?? 0) + count,
    first: Math.min(before?.first ?? first, first),
    last: Math.max(before?.last ?? last, last)
  })
}
