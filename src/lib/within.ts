/** Resolves when the work has ended, or after so many milliseconds without it. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitMs)
  await Promise.race([work, timeUp]).finally(() => clearTimeout(timer))
}
