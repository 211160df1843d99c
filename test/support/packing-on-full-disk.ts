import { readdirSync } from 'node:fs'
import { unixMs } from '../../src/lib/unix-time.ts'
import { openInOneThread } from './one-thread-history.ts'
import { endTraced } from './strace.ts'
import { listedPacks, packFiles } from './whole-history.ts'

export type Try = { error: string | undefined; leftovers: string[]; openFiles: number }

/**
 * `node test/support/packing-on-full-disk.ts <directory> <now>` lets a history pack some times, as
 * it does by itself, and prints what each try left behind.
 */
const [directory = '', now = ''] = process.argv.slice(2)
const TRIES = 4
const ENOUGH_ROWS = 500_000

let told = (_error?: unknown) => {}
const history = await openInOneThread(directory, unixMs(Number(now)), {
  failed: (error) => told(error),
  worked: () => told()
})
const tries: Try[] = []
for (let i = 0; i < TRIES; i++) {
  const ended = new Promise<unknown>((resolve) => {
    told = resolve
  })
  history.wrote(ENOUGH_ROWS)
  const error = await ended
  const listed = new Set(listedPacks(directory))
  tries.push({
    error: error instanceof Error ? error.message : undefined,
    leftovers: packFiles(directory).filter((name) => !listed.has(name)),
    openFiles: readdirSync('/proc/self/fd').length
  })
  // The next one is refused while this one has not quite ended.
  await new Promise((resolve) => setTimeout(resolve, 1))
}
// What could not be written cannot be closed.
endTraced(JSON.stringify(tries))
