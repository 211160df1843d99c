import uPlot from 'uplot'
import type { Scheme } from './options.ts'

/** A time that is marked behind the lines. `to` is null while it lasts. */
export type Band = { from: number; to: number | null; severity: keyof typeof strips }

/** As --bad, --warning and --muted of the page. */
const colors = {
  light: { critical: '#b3261e', warning: '#8f5e14', info: '#6f6a63' },
  dark: { critical: '#f2827a', warning: '#e0b15a', info: '#a09a91' }
} as const
/** The edge at the top is thicker for what is worse. */
const strips = { critical: 6, warning: 4, info: 2 } as const
const WASH = '1f'
/** A short one would not be seen. */
const LEAST_PX = 2

export function drawBands({ ctx, bbox, valToPos }: uPlot, bands: readonly Band[], scheme: Scheme) {
  const ratio = uPlot.pxRatio
  const [begin, end] = [bbox.left, bbox.left + bbox.width]
  ctx.save()
  for (const { from, to, severity } of bands) {
    const left = Math.max(begin, valToPos(from, 'x', true))
    const right = Math.min(end, to === null ? end : valToPos(to, 'x', true))
    if (right < begin || left > end) continue
    const width = Math.max(LEAST_PX * ratio, right - left)
    const color = colors[scheme][severity]
    ctx.fillStyle = color + WASH
    ctx.fillRect(left, bbox.top, width, bbox.height)
    ctx.fillStyle = color
    ctx.fillRect(left, bbox.top, width, strips[severity] * ratio)
  }
  ctx.restore()
}

/** A value that is drawn across the plot. Without `move` it cannot be dragged. */
export type Threshold = {
  key: string
  value: number
  /** What it means, for readers. */
  name: string
  move?: (value: number) => void
}

/** Where the values are on the page, in pixels of the plot. */
export type Place = {
  left: number
  top: number
  width: number
  height: number
  min: number
  max: number
}

/** Of the first axis. */
export function placeOf({ bbox, scales, series }: uPlot): Place | undefined {
  const { min, max } = scales[series[1]?.scale ?? ''] ?? {}
  if (typeof min !== 'number' || typeof max !== 'number') return undefined
  const ratio = uPlot.pxRatio
  return {
    ...{ left: bbox.left / ratio, top: bbox.top / ratio, min, max },
    ...{ width: bbox.width / ratio, height: bbox.height / ratio }
  }
}

/** What one step of a drag changes: a round number of about two pixels. */
export function stepOf({ min, max, height }: Place): number {
  const wanted = (2 * (max - min)) / Math.max(1, height)
  const power = 10 ** Math.floor(Math.log10(wanted))
  return [1, 2, 5, 10].map((part) => part * power).find((step) => step >= wanted) ?? power
}

/** The nearest step, without the noise of floating point. */
export function rounded(value: number, step: number): number {
  const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step))))
  return Number((Math.round(value / step) * step).toFixed(digits))
}
