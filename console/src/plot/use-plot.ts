import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useNow } from '../clock.ts'
import { useConnection } from '../live/connection.ts'
import type { Row } from '../live/shown.ts'
import { askedSpan, type Interval, intervalFor } from './interval.ts'
import { extended, type Line, lineOf, type Point } from './lines.ts'
import { type LiveSamples, useLiveSamples } from './live-samples.ts'
import { type Log, plotLog } from './log.ts'
import { type Range, type Span, spanAt, weeksBefore, weeksLater } from './range.ts'
import { isState } from './rows.ts'

export type PlotQuestion = {
  id: number
  rows: readonly Row[]
  range: Range
  compare: boolean
  zone: string
  width: number
}

/** `before` is what is compared: lines that are so many weeks older, moved to the visible times. */
export type Plot = {
  span: Span
  interval: Interval
  isRaw: boolean
  lines: readonly Line[]
  before: readonly Line[]
  weeks: number
  live: LiveSamples
  isPending: boolean
  isFetching: boolean
  error: Error | null
  refetch: () => void
}

/** With so few samples each of them is drawn. */
const MAX_RAW_SAMPLES = 10_000
const RAW_SAMPLES_PER_PIXEL = 1

/** What a plot draws: the log of its range, finer as it gets narrower, and what arrives live. */
export function usePlot({ id, rows, range, compare, zone, width }: PlotQuestion): Plot {
  const span = useSpan(range, width)
  const interval = intervalFor(span, width)
  const topics = useMemo(() => rows.map(({ topic }) => topic), [rows])
  // The interval depends on the width, so nothing is asked before it is known.
  const isKnown = width > 0
  const short = useMemo(
    () => (isKnown ? rows.map((row) => row.short).toSorted() : []),
    [rows, isKnown]
  )
  const readAt = useReadAt(range, interval)
  const asked = useMemo(() => {
    const wanted = askedSpan(spanAt(range, readAt), interval)
    const isLive = 'last' in range
    return { topics: short, zone, span: isLive ? { ...wanted, to: readAt } : wanted }
  }, [short, zone, range, readAt, interval])
  const coarse = useQuery(plotLog(id, asked, interval))
  const known = useLast(coarse.data)
  const hasFew = known !== undefined && isFew(known, width)
  const raw = useQuery({ ...plotLog(id, asked), enabled: hasFew && !coarse.isPlaceholderData })
  const isRaw = hasFew && raw.data !== undefined && reaches(raw.data, span, range)
  const log = isRaw ? raw.data : known
  const live = useLiveSamples(
    id,
    topics,
    'last' in range ? tellAfter(range.last, width) : undefined
  )
  const lines = useMemo(
    () =>
      rows.map((row) => {
        const stored = log?.points.get(row.topic) ?? []
        const newer = live.get(row.topic)?.filter(({ time }) => time > (log?.upTo ?? Infinity))
        const seconds = log?.seconds ?? 0
        return lineOf(extended(stored, newer ?? [], seconds), seconds, isState(row.meta))
      }),
    [rows, log, live]
  )
  const weeks = weeksBefore(span)
  const earlier = useMemo(
    () => ({ ...asked, span: shifted(asked.span, zone, -weeks) }),
    [asked, zone, weeks]
  )
  const past = useQuery({
    ...plotLog(id, earlier, interval),
    enabled: compare && short.length > 0
  })
  const fresh = useMemo(
    () => (past.data && !past.isPlaceholderData ? { log: past.data, weeks } : undefined),
    [past.data, past.isPlaceholderData, weeks]
  )
  const older = useLast(fresh)
  const before = useMemo(() => {
    // Of another shift it would be at the wrong times.
    if (!compare || older?.weeks !== weeks) return []
    const { points, seconds } = older.log
    return rows.map((row) => {
      const moved = (points.get(row.topic) ?? []).map((point) => later(point, zone, weeks))
      return lineOf(moved, seconds, isState(row.meta))
    })
  }, [compare, older, rows, zone, weeks])
  return {
    span,
    interval,
    isRaw,
    lines,
    before,
    weeks,
    live,
    isPending: coarse.isPending,
    isFetching: coarse.isFetching || raw.isFetching || past.isFetching,
    error: coarse.error ?? raw.error ?? past.error,
    refetch: () => {
      void coarse.refetch()
      if (hasFew) void raw.refetch()
      if (compare) void past.refetch()
    }
  }
}

const later = (point: Point, zone: string, weeks: number): Point => ({
  ...point,
  time: weeksLater(zone, point.time, weeks)
})

const shifted = ({ from, to }: Span, zone: string, weeks: number): Span => ({
  from: Math.max(0, weeksLater(zone, from, weeks)),
  to: Math.max(0, weeksLater(zone, to, weeks))
})

function isFew({ points }: Log, width: number): boolean {
  const counts = [...points.values()].map((list) => list.reduce((sum, { count }) => sum + count, 0))
  const all = counts.reduce((sum, count) => sum + count, 0)
  return all <= MAX_RAW_SAMPLES && Math.max(0, ...counts) <= width * RAW_SAMPLES_PER_PIXEL
}

/** Nobody sees a change of less than a pixel, but the newest number should be new. */
const tellAfter = (length: number, width: number): number =>
  Math.min(5000, Math.max(500, Math.round((250 * length) / Math.max(1, width))))

/** A failure does not take away what is known. */
function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value)
  if (value !== undefined) last.current = value
  return last.current
}

/** Whether what is known covers the visible range. Its end may be live. */
const reaches = ({ from, upTo }: Log, span: Span, range: Range): boolean =>
  from <= span.from && ('last' in range || upTo >= span.to)

/** What is visible. A range that ends now moves on by whole pixels. */
function useSpan(range: Range, width: number): Span {
  const now = useNow() / 1000
  const pixel = 'last' in range ? Math.max(1, range.last / Math.max(1, width)) : 1
  const at = 'last' in range ? Math.ceil(now / pixel) * pixel : 0
  return useMemo(() => spanAt(range, at), [range, at])
}

const REREAD_MS = 60_000
const POLL_MS = 5000

/** When the log of a range that ends now is read again. In between, values come live. */
function useReadAt(range: Range, { seconds }: Interval): number {
  const { state } = useConnection()
  const length = 'last' in range ? range.last : 0
  const [read, setRead] = useState({ length, at: Date.now() / 1000 })
  if (read.length !== length) setRead({ length, at: Date.now() / 1000 })
  const every = Math.max(state === 'polling' ? POLL_MS : REREAD_MS, seconds * 1000)
  useEffect(() => {
    if (length === 0) return
    const timer = setInterval(() => setRead({ length, at: Date.now() / 1000 }), every)
    return () => clearInterval(timer)
  }, [length, every])
  const last = useRef(state)
  useEffect(() => {
    // What was sent in between was not heard.
    if (last.current === 'offline' && state === 'live') setRead({ length, at: Date.now() / 1000 })
    last.current = state
  }, [state, length])
  return read.at
}
