import 'uplot/dist/uPlot.min.css'
import './plot.css'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import type { Row } from '../live/shown.ts'
import { Store } from '../store.ts'
import { useLocale } from '../texts/texts.ts'
import { type Cell, joined, type Line } from './lines.ts'
import { type Band, drawBands, type Place, placeOf, type Threshold } from './marks.ts'
import { optionsOf } from './options.ts'
import type { Look } from './palette.ts'
import { Readout } from './Readout.tsx'
import type { Span } from './range.ts'
import { useScheme } from './scheme.ts'
import { Thresholds } from './Thresholds.tsx'
import { zoomByTouch } from './touch.ts'
import type { Plot } from './use-plot.ts'

/** Where the cursor is: its time, and its place in pixels of the canvas. */
export type CursorAt = { time: number; left: number; width: number } | undefined

const CHOSEN_WITHIN_MS = 500

type Props = {
  plot: Plot
  rows: readonly Row[]
  looks: ReadonlyMap<string, Look>
  zone: string
  width: number
  height: number
  isSmall?: boolean
  /** Times that are marked behind the lines. */
  bands?: readonly Band[]
  thresholds?: readonly Threshold[]
  onZoom?: (span: Span) => void
  onBack?: () => void
  /** Tells where the canvas is, for a picture of it. */
  onCanvas?: (canvas: HTMLCanvasElement | undefined) => void
}

const none: readonly never[] = []

/** The lines of a plot. It draws what it has; data change without a new canvas. */
export function PlotCanvas(props: Props) {
  const { plot, rows, looks, zone, width, height, isSmall = false, onCanvas } = props
  const { bands = none, thresholds = none } = props
  const scheme = useScheme()
  const locale = useLocale()
  const target = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const [place] = useState(() => new Store<Place | undefined>(undefined))
  const [cursor] = useState(() => new Store<CursorAt>(undefined))
  const now = useRef(props)
  now.current = props
  const hasBand = !plot.isRaw
  const hasBefore = plot.before.length > 0
  const data = useMemo(
    () => dataOf(plot.lines, plot.before, hasBand),
    [plot.lines, plot.before, hasBand]
  )
  const pinched = useRef<{ span: Span; isOver: boolean }>(undefined)
  /** The values that the axis reaches. They stay during a drag. */
  const seen = useRef<readonly number[]>([])
  const latest = useRef(data)
  latest.current = data
  const hooks = useCallback(
    (): uPlot.Hooks.Arrays => ({
      setSelect: [
        (self) => {
          const { left, width } = self.select
          if (width < 1) return
          const [from, to] = [self.posToVal(left, 'x'), self.posToVal(left + width, 'x')]
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          now.current.onZoom?.({ from, to })
        }
      ],
      drawAxes: [(self) => drawBands(self, now.current.bands ?? none, scheme)],
      draw: [
        (self) => {
          const next = now.current.thresholds && placeOf(self)
          if (JSON.stringify(next) !== JSON.stringify(place.value)) place.set(next)
        }
      ],
      setCursor: [
        (self) => {
          const { left = -1 } = self.cursor
          const place = { time: self.posToVal(left, 'x'), left: left + self.over.offsetLeft }
          cursor.set(left < 0 ? undefined : { ...place, width: self.width })
        }
      ]
    }),
    [cursor, place, scheme]
  )
  const isReady = width > 0
  useLayoutEffect(() => {
    if (!target.current || !isReady) return
    const drawn = { rows, looks, hasBand, hasBefore, scheme, zone, locale, isSmall }
    const size = { width: now.current.width, height }
    const made = new uPlot(
      optionsOf(
        drawn,
        size,
        {
          span: () => pinched.current?.span ?? now.current.plot.span,
          seen: () => seen.current
        },
        hooks()
      ),
      latest.current,
      target.current
    )
    made.over.addEventListener('dblclick', () => now.current.onBack?.())
    if (!isSmall) {
      const show = (span: Span | undefined) => {
        pinched.current = span && { span, isOver: false }
        if (chart.current === made) made.setData(made.data, true)
      }
      zoomByTouch(made, {
        preview: show,
        zoom: (span) => {
          now.current.onZoom?.(span)
          if (!pinched.current) return
          // It stays until the chosen range is there, which may be another one.
          pinched.current.isOver = true
          setTimeout(() => pinched.current?.isOver && show(undefined), CHOSEN_WITHIN_MS)
        }
      })
    }
    chart.current = made
    onCanvas?.(made.ctx.canvas)
    return () => {
      chart.current = undefined
      cursor.set(undefined)
      onCanvas?.(undefined)
      made.destroy()
    }
  }, [
    isReady,
    rows,
    looks,
    hasBand,
    hasBefore,
    scheme,
    zone,
    locale,
    isSmall,
    height,
    hooks,
    cursor,
    onCanvas
  ])
  useEffect(() => {
    if (chart.current && chart.current.width !== width) chart.current.setSize({ width, height })
  }, [width, height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a moved range is drawn again
  useLayoutEffect(() => {
    if (pinched.current?.isOver) pinched.current = undefined
    chart.current?.setData(data, true)
  }, [data, plot.span])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other bands are drawn
  useEffect(() => chart.current?.redraw(false), [bands])
  const reach = useCallback(() => {
    seen.current = (now.current.thresholds ?? none).map(({ value }) => value)
    chart.current?.setData(chart.current.data, true)
  }, [])
  const isDragging = useRef(false)
  const values = thresholds.map(({ value }) => value).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other values are reached
  useEffect(() => {
    if (!isDragging.current) reach()
  }, [values, reach])
  const drag = (isOn: boolean) => {
    isDragging.current = isOn
    if (!isOn) reach()
  }
  return (
    <div className="plot" style={{ height }}>
      <div ref={target} />
      {thresholds.length > 0 && <Thresholds place={place} thresholds={thresholds} drag={drag} />}
      <Readout cursor={cursor} plot={plot} rows={rows} looks={looks} zone={zone} />
    </div>
  )
}

/** In the order of the series: see `optionsOf`. */
function dataOf(
  lines: readonly Line[],
  before: readonly Line[],
  hasBand: boolean
): uPlot.AlignedData {
  const { times, columns } = joined([...lines, ...before])
  const now = columns.slice(0, lines.length)
  const cells: Cell[][] = [
    ...now.map(({ value }) => value),
    ...(hasBand ? now.flatMap(({ min, max }) => [min, max]) : []),
    ...columns.slice(lines.length).map(({ value }) => value)
  ]
  return [times, ...cells]
}
