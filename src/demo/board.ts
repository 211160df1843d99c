import { readBoard, writeBoard } from '../features/board/boards.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { Registry } from '../registry/tables.ts'
import type { DemoInstallation } from './registry.ts'

/** A board that somebody changed, even to an empty one, stays as it is. */
export async function ensureBoard(
  registry: Registry,
  { id, board }: DemoInstallation,
  now: UnixMs
): Promise<void> {
  const { updated } = await readBoard(registry, id)
  if (updated === 0) await writeBoard(registry, id, board, { seen: updated, now })
}
