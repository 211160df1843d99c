import uPlot from 'uplot'
import { numberFormat } from '../formats.ts'
import type { Row } from '../live/shown.ts'
import { shownValue } from '../live/shown.ts'
import { dashes, type Look, olderLook, palette } from './palette.ts'
import type { Span } from './range.ts'
import { isState, unitOf } from './rows.ts'
import { tickLabels, tickStep, timeTicks } from './zone.ts'

export type Scheme = 'light' | 'dark'
export type Drawn = {
  rows: readonly Row[]
  looks: ReadonlyMap<string, Look>
  hasBand: boolean
  hasBefore: boolean
  scheme: Scheme
  zone: string
  locale: string
  isSmall: boolean
}

export const inks = {
  light: { text: '#6f6a63', grid: '#e6e3dc', panel: '#ffffff', ink: '#1d1b18' },
  dark: { text: '#a09a91', grid: '#2e2c29', panel: '#1c1b19', ink: '#f1eee9' }
} as const

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'
const OLDER_PROX_PX = 20
/** By so many times the height of the lines. */
const MOST_WIDER = 4
const TICK_PX = 90
const TICK_PX_NARROW = 64
const NARROW_PX = 400
/** Only two units have an axis; the lines of others fill the height on a scale of their own. */
export const AXES = 2

export const unitsOf = (rows: readonly Row[]): string[] => [...new Set(rows.map(unitOf))]

export const colorOf = (look: Look | undefined, scheme: Scheme): string =>
  palette[scheme][look?.color ?? 0] ?? palette[scheme][0]

/** What changes without a new canvas. `seen` are values that the first axis must reach. */
export type Now = { span: () => Span; seen: () => readonly number[] }

/** The order of the columns: time; value of each line; min and max of each; then the older ones. */
export function optionsOf(
  drawn: Drawn,
  size: { width: number; height: number },
  now: Now,
  hooks: uPlot.Hooks.Arrays
): uPlot.Options {
  const { rows, hasBand, isSmall } = drawn
  const count = rows.length
  const firstOlder = count + (hasBand ? 2 * count : 0)
  const bands = rows.flatMap(({ topic, meta }, i) => {
    // Within an hour a state has been everything.
    if (!hasBand || isState(meta)) return []
    const series: uPlot.Band.Bounds = [1 + count + 2 * i + 1, 1 + count + 2 * i]
    return [{ series, fill: colorOf(drawn.looks.get(topic), drawn.scheme) + opacityOf(count) }]
  })
  return {
    ...size,
    ms: 1e-3,
    series: [{}, ...seriesOf(drawn)],
    bands,
    legend: { show: false },
    padding: [isSmall ? 20 : 26, unitsOf(rows).length > 1 ? 0 : 12, 0, 0],
    scales: {
      x: { time: true, range: () => [now.span().from, now.span().to] },
      ...Object.fromEntries(
        unitsOf(rows).map((unit, i) => [
          scaleOf(unit),
          { range: rangeOf(unit, rows, i === 0 ? now.seen : () => []) }
        ])
      )
    },
    axes: axesOf(drawn),
    cursor: {
      y: false,
      points: { size: 7 },
      // An older line may have no value here; its far ones mean another time.
      hover: { prox: (_self, index) => (index > firstOlder ? OLDER_PROX_PX : null) },
      drag: { x: !isSmall, y: false, setScale: false, dist: 6 },
      // A double click is told by a hook of the page.
      bind: { dblclick: () => null }
    },
    hooks: { ...hooks, drawAxes: [(self) => drawUnits(self, drawn), ...(hooks.drawAxes ?? [])] }
  }
}

/** Bands above each other would hide the lines. */
const opacityOf = (count: number): string => (count <= 4 ? '2e' : count <= 8 ? '1c' : '0c')

/** The unit of each axis above it. */
function drawUnits({ ctx, bbox }: uPlot, { rows, scheme, isSmall }: Drawn): void {
  const ratio = uPlot.pxRatio
  ctx.save()
  ctx.font = FONT.replace('12px', `${12 * ratio}px`)
  ctx.fillStyle = inks[scheme].text
  ctx.textBaseline = 'bottom'
  for (const [i, unit] of unitsOf(rows).slice(0, AXES).entries()) {
    ctx.textAlign = i === 0 ? 'right' : 'left'
    const x = i === 0 ? bbox.left - 8 * ratio : bbox.left + bbox.width + 8 * ratio
    ctx.fillText(unit, x, bbox.top - (isSmall ? 4 : 10) * ratio)
  }
  ctx.restore()
}

const scaleOf = (unit: string): string => `unit ${unit}`

function rangeOf(unit: string, rows: readonly Row[], seen: Now['seen']): uPlot.Range.Function {
  const isOfStates = unit === '' && rows.every((row) => unitOf(row) !== '' || isState(row.meta))
  return (_self, least, greatest) => {
    const [min, max] = widened(least, greatest, seen())
    if (min === null || max === null) return [0, 1]
    return isOfStates
      ? [min - 0.1, Math.max(max, min + 1) + 0.1]
      : uPlot.rangeNum(min, max, 0.1, true)
  }
}

/** Values that are far from the lines are left out: the lines would be flat. */
function widened(
  least: number | null,
  greatest: number | null,
  values: readonly number[]
): [number | null, number | null] {
  if (least === null || greatest === null) {
    return values.length > 0 ? [Math.min(...values), Math.max(...values)] : [null, null]
  }
  const reach = MOST_WIDER * Math.max(greatest - least, Math.abs(greatest) / 4, 1)
  const near = values.filter((one) => one >= least - reach && one <= greatest + reach)
  return [Math.min(least, ...near), Math.max(greatest, ...near)]
}

function seriesOf({ rows, looks, scheme, hasBand, hasBefore }: Drawn): uPlot.Series[] {
  const base = (row: Row): uPlot.Series => ({
    scale: scaleOf(unitOf(row)),
    ...(isState(row.meta) && { paths: uPlot.paths.stepped?.({ align: 1 }) })
  })
  const stroke = ({ topic }: Row) => colorOf(looks.get(topic), scheme)
  const values = rows.map((row) => ({
    ...base(row),
    stroke: stroke(row),
    width: 1.5,
    dash: [...(dashes[looks.get(row.topic)?.dash ?? 0] ?? [])],
    points: { size: 4, fill: stroke(row), filter: lonely }
  }))
  const edges = hasBand
    ? rows.flatMap((row) => {
        const edge = { ...base(row), points: { show: false } }
        return [edge, edge]
      })
    : []
  const older = hasBefore
    ? rows.map((row) => ({
        ...base(row),
        stroke: stroke(row) + olderLook.opacity,
        width: olderLook.width,
        dash: [...olderLook.dash],
        points: { show: false }
      }))
    : []
  return [...values, ...edges, ...older]
}

/** Points without a neighbour would be invisible; with room for all of them, all are drawn. */
const lonely: uPlot.Series.Points.Filter = (self, index, show) => {
  const data = self.data[index] ?? []
  const [from, to] = self.series[index]?.idxs ?? [0, -1]
  const found: number[] = []
  const isNone = (i: number, way: 1 | -1): boolean => {
    let at = i + way
    while (at >= 0 && at < data.length && data[at] === undefined) at += way
    return typeof data[at] !== 'number'
  }
  for (let i = from; i <= to; i++) {
    if (typeof data[i] === 'number' && (show || (isNone(i, 1) && isNone(i, -1)))) found.push(i)
  }
  return found
}

function axesOf({ rows, scheme, zone, locale, isSmall }: Drawn): uPlot.Axis[] {
  const { text, grid } = inks[scheme]
  const look = { stroke: text, font: FONT, ticks: { show: false } }
  const stepOf = (min: number, max: number, width: number) =>
    tickStep(
      (max - min) * 1000,
      Math.max(2, width / (width < NARROW_PX ? TICK_PX_NARROW : TICK_PX))
    )
  const time: uPlot.Axis = {
    ...look,
    size: 42,
    gap: 8,
    grid: { show: true, stroke: grid, width: 1 },
    splits: (self, _axis, min, max) =>
      timeTicks(zone, min * 1000, max * 1000, stepOf(min, max, widthOf(self))).map(
        (ms) => ms / 1000
      ),
    values: (self, splits) => {
      const { min = 0, max = 1 } = self.scales.x ?? {}
      const step = stepOf(min, max, widthOf(self))
      return tickLabels(
        { zone, locale },
        splits.map((time) => Math.round(time * 1000)),
        step
      )
    }
  }
  const sides = unitsOf(rows)
    .slice(0, AXES)
    .map((unit, i): uPlot.Axis => {
      const first = rows.find((row) => unitOf(row) === unit)
      return {
        ...look,
        scale: scaleOf(unit),
        side: i === 0 ? 3 : 1,
        space: isSmall ? 32 : 44,
        gap: 8,
        size: sizeOf,
        grid: { show: i === 0, stroke: grid, width: 1 },
        values: (_self, splits) => splits.map((value) => valueText(value, first, locale, splits))
      }
    })
  return [time, ...sides]
}

const widthOf = ({ bbox }: uPlot): number => bbox.width / uPlot.pxRatio

/** As wide as the longest number. */
const sizeOf: uPlot.Axis.Size = (self, values, axis, cycle) => {
  const options = self.axes[axis] as { _size?: number } | undefined
  if (cycle > 1) return options?._size ?? 50
  const longest = (values ?? []).reduce((a, b) => (b.length > a.length ? b : a), '')
  self.ctx.font = FONT.replace('12px', `${12 * uPlot.pxRatio}px`)
  return Math.ceil(self.ctx.measureText(longest).width / uPlot.pxRatio) + 18
}

function valueText(
  value: number,
  row: Row | undefined,
  locale: string,
  splits: readonly number[]
): string {
  if (row && isState(row.meta)) {
    const { text } = shownValue(value, row.meta, locale)
    return /\d/.test(text) ? '' : text
  }
  const step = Math.abs((splits[1] ?? 1) - (splits[0] ?? 0))
  const digits = Math.min(10, Math.max(0, Math.ceil(-Math.log10(step || 1) - 1e-9)))
  const few = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const many = { notation: 'compact', maximumFractionDigits: 2 } as const
  const isLong = Math.abs(value) >= 1e6
  return numberFormat(locale, isLong ? many : few).format(value)
}
