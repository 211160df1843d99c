/** `sorted` is ascending, `share` is from 0 to 1. Nearest rank, so the result is a measured value. */
export const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN

export const median = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5
  )

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
export const whole = (value: number): string => grouped.format(value).replaceAll(',', ' ')
export const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`
export const mib = (bytes: number): string => `${whole(bytes / 2 ** 20)} MiB`

/** Of numbers that rise. */
export const spreadOf = (rising: Float64Array) => ({
  mean: rising.reduce((sum, one) => sum + one, 0) / rising.length,
  p50: quantile(rising, 0.5),
  p99: quantile(rising, 0.99),
  max: quantile(rising, 1)
})
