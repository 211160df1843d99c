/** How often a property or a kill is tried: all of it with CI=true, a few times while working. */
export const rounds = (inCi: number, atWork: number = Math.ceil(inCi / 10)): number =>
  process.env['CI'] ? inCi : atWork

/** For tests that take long beside others that show the same on a smaller scale. */
export const slow = { skip: process.env['CI'] ? false : 'slow: it runs with CI=true' }
