import { setTimeout as wait } from 'node:timers/promises'
import type { LoadResult } from './children/mqtt-load.ts'
import type { Bench } from './line.ts'
import { coresBetween, cpuSecondsByPid } from './machine.ts'

/** Cores that other processes may use before a round counts as disturbed. */
const DISTURBING_CORES = 0.1
const LOOK_MS = 1000
const MAX_TRIES = 4

/** Waits until no process uses the cores, up to a limit. What is measured must be idle too. */
export async function whenQuiet(bench: Bench): Promise<void> {
  const giveUp = performance.now() + bench.sizes.quietWithinMs
  for (;;) {
    const before = cpuSecondsByPid()
    await wait(LOOK_MS)
    const { others: cores } = coresBetween(before, cpuSecondsByPid(), LOOK_MS / 1000)
    if (cores <= DISTURBING_CORES) return
    if (performance.now() > giveUp) return bench.disturbed(cores)
    bench.say(`waiting: other processes use ${cores.toFixed(1)} cores`)
  }
}

/**
 * Repeats a load that other processes disturbed and keeps the least disturbed one. It decides by the
 * cores that the others used, never by the result.
 */
export async function undisturbed<Result extends LoadResult>(
  bench: Bench,
  apply: () => Promise<Result>
): Promise<{ result: Result; tries: Result[] }> {
  const tries: Result[] = []
  const others = (result: Result) => result.cores.others
  while (tries.length < MAX_TRIES) {
    await whenQuiet(bench)
    const result = await apply()
    tries.push(result)
    if (others(result) <= DISTURBING_CORES) return { result, tries }
    bench.say(`once more: other processes used ${others(result).toFixed(1)} cores`)
  }
  const result = tries.reduce((best, next) => (others(next) < others(best) ? next : best))
  bench.disturbed(others(result))
  return { result, tries }
}
