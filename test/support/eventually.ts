import { setTimeout as wait } from 'node:timers/promises'

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50

/**
 * Repeats an assertion until it succeeds. When the time is over it throws the last failure. The
 * pauses grow, so that a long wait leaves the processor to others.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 20_000): Promise<T> {
  const end = Date.now() + withinMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
      await wait(pauseMs)
    }
  }
}
