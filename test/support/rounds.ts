/** How often a property or a kill is tried: all of it with CI=true, a few times while working. */
export const rounds = (inCi: number, atWork: number = Math.ceil(inCi / 10)): number =>
  process.env['CI'] ? inCi : atWork
