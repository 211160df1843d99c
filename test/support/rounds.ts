/** How often a property or a kill is tried: the full number with CI=true, else a few times. */
export const rounds = (inCi: number, atWork: number = Math.ceil(inCi / 10)): number =>
  process.env['CI'] ? inCi : atWork

/** For slow tests of parts that seldom change, or if a faster test shows the same on a smaller scale. */
export const slow: { skip: string | false } = {
  skip: process.env['CI'] ? false : 'slow: it runs with CI=true'
}
