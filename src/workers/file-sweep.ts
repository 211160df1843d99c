import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { FileStore } from '../file-store.ts'
import type { Clock } from '../lib/clock.ts'
import { DAY } from '../lib/unix-time.ts'
import { contentsToLookAt, sweepContent } from '../registry/file-contents.ts'
import type { Registry } from '../registry/tables.ts'

type Parts = { registry: Registry; files: FileStore; clock: Clock; log: FastifyBaseLogger }

const AT_ONCE = 100
/** A part waits untouched for the later ones of its request, which takes an hour at most; clocks of nodes differ. */
const LEFT_BEHIND = DAY

/** Contents of files that nothing refers to any more go, and what a crash left half received. [ADR-0022] */
export async function sweepFiles({ registry, files, clock, log }: Parts): Promise<void> {
  const now = clock()
  try {
    let removed = await files.sweepIncoming(Date.now() - LEFT_BEHIND)
    for (;;) {
      const hashes = await contentsToLookAt(registry, now, AT_ONCE)
      for (const hash of hashes) {
        await nextTurn()
        if (await sweepContent(registry, hash, now, () => files.remove(hash))) removed++
      }
      if (hashes.length < AT_ONCE) break
    }
    if (removed > 0) log.info({ removed }, 'contents of files that nothing refers to are removed')
  } catch (err) {
    log.error({ err }, 'the file store could not be swept; tried again later')
  }
}
