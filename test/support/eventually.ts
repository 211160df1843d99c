import { setTimeout as wait } from 'node:timers/promises'

/** Repeats an assertion until it holds; its last failure is thrown when the time is over. */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 20_000): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > end) throw error
      await wait(2)
    }
  }
}
