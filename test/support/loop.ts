import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'

/** A large garbage collection, or a machine that is taken away for a moment, is not met each time. */
export const ATTEMPTS = [1, 2, 3, 4, 5] as const

/**
 * The longest time that this thread worked in one round of the event loop, in milliseconds. If it is
 * above the limit, the work is done again, and the best attempt counts.
 */
export async function longestRound(
  limitMs: number,
  work: (attempt: number) => Promise<void>
): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (const attempt of ATTEMPTS) {
    const rounds = watchRounds()
    await work(attempt).finally(rounds.stop)
    best = Math.min(best, rounds.longest())
    if (best < limitMs) break
  }
  return best
}

type Span = { began: number; ended: number }
type Round = Span & { worked: number }

/** Shorter rounds cannot be the longest one, or are no matter. */
const MATTERS_MS = 2

/**
 * The clock also counts other programs on the machine. The processor time of a thread does not, but
 * some kernels count it in steps of 4 ms. The smaller of the two is nearer to the truth. Garbage
 * collection is left out: its time depends on what all tests before have left.
 */
function watchRounds() {
  const rounds: Round[] = []
  const collections: Span[] = []
  const observer = new PerformanceObserver((list) =>
    collections.push(...list.getEntries().map(span))
  )
  observer.observe({ entryTypes: ['gc'] })
  let began = performance.now()
  let used = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(used)
    const ended = performance.now()
    const worked = Math.min((user + system) / 1000, ended - began)
    if (worked > MATTERS_MS) rounds.push({ began, ended, worked })
    began = ended
    used = process.threadCpuUsage()
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  return {
    stop: () => {
      clearImmediate(next)
      collections.push(...observer.takeRecords().map(span))
      observer.disconnect()
    },
    longest: () => Math.max(0, ...rounds.map((round) => round.worked - within(round, collections)))
  }
}

const span = ({ startTime, duration }: PerformanceEntry): Span => ({
  began: startTime,
  ended: startTime + duration
})

const within = (round: Span, spans: readonly Span[]): number =>
  spans
    .map((one) => Math.min(one.ended, round.ended) - Math.max(one.began, round.began))
    .reduce((sum, shared) => sum + Math.max(0, shared), 0)
