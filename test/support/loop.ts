/**
 * The longest that this thread worked in one round of the event loop, in milliseconds of its
 * processor time: what other programs on the machine do is not counted. The work is done three
 * times and the best time counts, so that a large collection of garbage does not.
 */
export async function longestRound(work: (attempt: number) => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (const attempt of [1, 2, 3]) {
    const rounds = watchRounds()
    await work(attempt).finally(rounds.stop)
    best = Math.min(best, rounds.longest())
  }
  return best
}

function watchRounds() {
  let longest = 0
  let last = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, user + system)
    last = process.threadCpuUsage()
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  return {
    stop: () => clearImmediate(next),
    longest: () => longest / 1000
  }
}
