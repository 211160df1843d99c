import { memo } from 'react'

type Point = { timestamp: number; value: number }

const WIDTH = 104
const HEIGHT = 26
const DAY_S = 24 * 3600
/** A pause of more than so many steps is shown as a gap. */
const GAP_S = (3 * DAY_S) / 96

/** The shape of the last day, without numbers: those are beside it. */
export const Sparkline = memo(({ points }: { points: readonly Point[] }) => {
  if (points.length < 2) return <svg width={WIDTH} height={HEIGHT} aria-hidden />
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const end = points.at(-1)?.timestamp ?? 0
  const x = (at: number) => WIDTH - ((end - at) / DAY_S) * WIDTH
  const y = (value: number) =>
    high === low ? HEIGHT / 2 : 2 + (1 - (value - low) / (high - low)) * (HEIGHT - 4)
  const path = points.map(({ timestamp, value }, i) => {
    const before = points[i - 1]?.timestamp ?? Number.NEGATIVE_INFINITY
    const pen = timestamp - before > GAP_S ? 'M' : 'L'
    return `${pen}${x(timestamp).toFixed(1)} ${y(value).toFixed(1)}`
  })
  return (
    <svg width={WIDTH} height={HEIGHT} aria-hidden>
      <path d={path.join('')} fill="none" stroke="var(--plot)" strokeWidth={1.3} />
    </svg>
  )
})
