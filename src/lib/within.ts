/** The result of the work, or an error when the work takes longer. The work itself goes on. */
export async function within<T>(
  limitMs: number,
  work: Promise<T>,
  tooLate: () => Error
): Promise<T> {
  const { promise: timeUp, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(tooLate()), Math.max(0, limitMs))
  return Promise.race([work, timeUp]).finally(() => clearTimeout(timer))
}

/** Whether the work ends in time. */
export async function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: timeUp, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  return Promise.race([work.then(() => true), timeUp]).finally(() => clearTimeout(timer))
}
