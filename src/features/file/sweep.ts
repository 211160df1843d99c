import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { DAY } from '../../lib/unix-time.ts'
import type { Registry } from '../../registry/tables.ts'
import { contentsToLookAt, sweepContent } from './contents.ts'
import type { FileStore } from './store.ts'

type Parts = { registry: Registry; files: FileStore; clock: Clock; log: FastifyBaseLogger }

const CONTENTS_PER_ROUND = 100
/**
 * Uploads older than this were left by a crash. A request takes an hour at most, and the clocks of
 * nodes differ.
 */
const LEFT_BEHIND_AFTER_MS = DAY

/** Removes contents that no file refers to, and uploads that a crash left incomplete. [ADR-0022] */
export async function sweepFiles({ registry, files, clock, log }: Parts): Promise<void> {
  const now = clock()
  try {
    let removed = await files.sweepIncoming(Date.now() - LEFT_BEHIND_AFTER_MS)
    for (;;) {
      const hashes = await contentsToLookAt(registry, now, CONTENTS_PER_ROUND)
      for (const hash of hashes) {
        await nextTurn()
        if (files.isHeld) return
        if (await sweepContent(registry, hash, now, () => files.remove(hash))) removed++
      }
      if (hashes.length < CONTENTS_PER_ROUND) break
    }
    if (removed > 0) log.info({ removed }, 'unused contents of files were removed')
  } catch (err) {
    log.error({ err }, 'unused contents of files could not be removed; will try again later')
  }
}
